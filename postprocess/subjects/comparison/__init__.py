# SPDX-License-Identifier: BSD-3-Clause
"""Stacks compared case by case, and the fastest of each case."""
