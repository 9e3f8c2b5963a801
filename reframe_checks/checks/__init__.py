# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame checks: the build of a stack from each source, and a block of launches."""
