# SPDX-License-Identifier: BSD-3-Clause
"""Runs: locks, hooks, repair, schedules, foreign runs, Snakemake."""
