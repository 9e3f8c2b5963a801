# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts and physical bounds."""
