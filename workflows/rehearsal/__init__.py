# SPDX-License-Identifier: BSD-3-Clause
"""Rehearsing a campaign: the same plan on a simulated machine, and what the real one will cost."""
