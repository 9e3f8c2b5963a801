# SPDX-License-Identifier: BSD-3-Clause
"""A finding as a program of its own: in plain MPI, with the commands and a report to the library's tracker."""
