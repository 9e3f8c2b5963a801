# SPDX-License-Identifier: BSD-3-Clause
"""Engines of a stack: their cache, and the inspection of what was built."""
