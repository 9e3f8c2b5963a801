# SPDX-License-Identifier: BSD-3-Clause
"""Findings in words: what the tables establish, what they do not, and what should not be reliable."""
