# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines: a collective must not be slower than another way to the same result."""
