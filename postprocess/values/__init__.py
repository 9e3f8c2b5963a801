# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the results: value, interval, verdict, doubt."""
