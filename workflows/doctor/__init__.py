# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what on this machine may distort a measurement."""
