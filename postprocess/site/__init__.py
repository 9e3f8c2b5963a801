# SPDX-License-Identifier: BSD-3-Clause
"""Pages over many runs: a static site of folders of results, and pages of what two or more runs say together."""
