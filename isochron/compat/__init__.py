# SPDX-License-Identifier: BSD-3-Clause
"""What Isochron changes in Snakemake and ReFrame, and how it reads their output.

docs/design.md lists each change; docs/upstream/ has the patches that would make it unnecessary.
"""
