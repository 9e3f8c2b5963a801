# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what is measured beside the time: bandwidth, costs, ranks, overlap, memory, arrivals, stragglers."""
