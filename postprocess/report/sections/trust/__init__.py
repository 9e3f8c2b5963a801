# SPDX-License-Identifier: BSD-3-Clause
"""Sections on how far the numbers can be trusted."""
