# SPDX-License-Identifier: BSD-3-Clause
"""The report: a typed context, and the templates of `reports/` that only set it."""
