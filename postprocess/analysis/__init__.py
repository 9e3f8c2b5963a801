# SPDX-License-Identifier: BSD-3-Clause
"""A run analysed: every table, finding and figure, computed once and saved."""
