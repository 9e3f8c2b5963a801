# SPDX-License-Identifier: BSD-3-Clause
"""What other benchmarks print: their files read to the last number, each value with the scheme that made it."""
