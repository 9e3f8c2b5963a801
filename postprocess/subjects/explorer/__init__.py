# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: any part of the results as figure and table."""
