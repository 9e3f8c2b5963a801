# SPDX-License-Identifier: BSD-3-Clause
"""Templates, styles and texts of the report."""
