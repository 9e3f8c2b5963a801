# SPDX-License-Identifier: BSD-3-Clause
"""Changes of level in many series of values, as they grow."""
