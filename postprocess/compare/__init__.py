# SPDX-License-Identifier: BSD-3-Clause
"""Stacks, schemes and runs against each other."""
