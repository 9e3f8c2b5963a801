# SPDX-License-Identifier: BSD-3-Clause
"""Verbs and what they print."""
