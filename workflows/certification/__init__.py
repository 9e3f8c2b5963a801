# SPDX-License-Identifier: BSD-3-Clause
"""Certifying a machine: stacks against themselves, some operations slowed by a known share, and none is told which."""
