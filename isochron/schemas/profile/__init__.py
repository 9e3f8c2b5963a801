# SPDX-License-Identifier: BSD-3-Clause
"""What a program calls of MPI: the profile of a job, and the files of its processes that it is made of."""
