# SPDX-License-Identifier: BSD-3-Clause
"""Figures as other benchmarks and studies draw them: one declaration for each family."""
