# SPDX-License-Identifier: BSD-3-Clause
"""Figures of what is measured beside the time."""
