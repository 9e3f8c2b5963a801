# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a run: each is declared once, with its columns and how it is made."""
