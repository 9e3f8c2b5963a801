# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors of benchmarks, and the first of them, late initialisation."""
