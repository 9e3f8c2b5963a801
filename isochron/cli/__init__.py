# SPDX-License-Identifier: BSD-3-Clause
"""The `isochron` command line: one file per command, for parsing and printing only."""
