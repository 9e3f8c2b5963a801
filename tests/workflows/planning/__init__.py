# SPDX-License-Identifier: BSD-3-Clause
"""Plans, allocations, rounds, simulated campaigns."""
