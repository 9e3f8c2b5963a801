# SPDX-License-Identifier: BSD-3-Clause
"""How the NAS Parallel Benchmarks are built with a stack."""
