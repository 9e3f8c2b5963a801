# SPDX-License-Identifier: BSD-3-Clause
"""Clocks, timers, start schemes, and whether the intervals cover."""
