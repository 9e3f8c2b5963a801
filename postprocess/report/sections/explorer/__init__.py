# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: its data, as the script of the page takes them."""
