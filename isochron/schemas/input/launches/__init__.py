# SPDX-License-Identifier: BSD-3-Clause
"""Launches beside those of the results: other ways to measure, first calls, other nodes."""
