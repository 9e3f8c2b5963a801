# SPDX-License-Identifier: BSD-3-Clause
"""Libraries in turns: what company costs, who does not sleep, and the rounds of one case."""
