# SPDX-License-Identifier: BSD-3-Clause
"""Interference, and the regimes of the machine."""
