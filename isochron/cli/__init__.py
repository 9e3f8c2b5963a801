# SPDX-License-Identifier: BSD-3-Clause
"""The `isochron` command: one file a verb, parsing and printing only."""
