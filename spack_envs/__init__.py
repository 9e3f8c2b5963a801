# SPDX-License-Identifier: BSD-3-Clause
"""MPI stacks: their declarations, and their sources: Spack, PyPI wheels, SimGrid."""
