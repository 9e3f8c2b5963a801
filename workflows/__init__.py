# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns: planning, driving, and the schema of every file."""
