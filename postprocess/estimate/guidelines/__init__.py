# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines, and their tests."""
