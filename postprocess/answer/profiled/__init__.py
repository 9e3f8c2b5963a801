# SPDX-License-Identifier: BSD-3-Clause
"""What a stack would make of a program's time in MPI: the program's calls on the campaign's comparison."""
