# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame checks, and the calls of ReFrame that build a stack and run a block."""
