# SPDX-License-Identifier: BSD-3-Clause
"""Statistics: pure functions over arrays of launch values, independent of files and MPI."""
