# SPDX-License-Identifier: BSD-3-Clause
"""The value of every result."""
