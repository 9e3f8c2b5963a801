# SPDX-License-Identifier: BSD-3-Clause
"""Files of other benchmarks: read into tables of their own, and set beside the results of a run."""
