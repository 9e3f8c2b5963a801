# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were not accepted."""
