# SPDX-License-Identifier: BSD-3-Clause
"""Other benchmarks beside the engine, measured in the same blocks."""
