# SPDX-License-Identifier: BSD-3-Clause
"""The standard candle: a resident of our own without MPI."""
