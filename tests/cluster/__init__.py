# SPDX-License-Identifier: BSD-3-Clause
"""A virtual Slurm cluster on this machine, and the tests that need one."""
