# SPDX-License-Identifier: BSD-3-Clause
"""Cost models, and curves over processes compared with them."""
