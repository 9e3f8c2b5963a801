# SPDX-License-Identifier: BSD-3-Clause
"""Measured times against the cost models of the algorithms that an MPI library may use."""
