# SPDX-License-Identifier: BSD-3-Clause
"""Driving a run: the lock, Snakemake as a child, and how far it is."""
