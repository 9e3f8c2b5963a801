# SPDX-License-Identifier: BSD-3-Clause
"""MPI stacks: their declarations and the routes by which they are made ready."""
