# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of an operation jumps from one size, or one number of processes, to the next."""
