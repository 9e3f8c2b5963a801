# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors of benchmarks, late initialisation among them."""
