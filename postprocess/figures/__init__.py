# SPDX-License-Identifier: BSD-3-Clause
"""Figures: SVG, deterministic, with intervals and units."""
