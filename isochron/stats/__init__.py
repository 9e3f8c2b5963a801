# SPDX-License-Identifier: BSD-3-Clause
"""Statistics: pure functions over arrays of launch values; nothing here knows of files or MPI."""
