# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines that are violated."""
