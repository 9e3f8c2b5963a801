# SPDX-License-Identifier: BSD-3-Clause
"""Profiled programs: what a stack would change for them."""
