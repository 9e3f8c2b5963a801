# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks of others in a run: their programs, and the raw files of their launches."""
