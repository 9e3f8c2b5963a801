# SPDX-License-Identifier: BSD-3-Clause
"""Placements: points that differ in host order, placement or processes per node."""
