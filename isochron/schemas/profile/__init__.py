# SPDX-License-Identifier: BSD-3-Clause
"""The MPI calls of a program: the profile of a job, and the files of its processes."""
