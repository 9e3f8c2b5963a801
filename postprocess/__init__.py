# SPDX-License-Identifier: BSD-3-Clause
"""From raw files to tables, figures and the report."""
