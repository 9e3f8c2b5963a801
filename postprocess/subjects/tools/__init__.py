# SPDX-License-Identifier: BSD-3-Clause
"""Third-party benchmarks compared with the engine."""
