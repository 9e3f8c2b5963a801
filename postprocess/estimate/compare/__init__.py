# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons: of stacks, runs, contrasts, nodes, imports."""
