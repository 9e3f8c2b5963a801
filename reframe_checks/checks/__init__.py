# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame checks themselves: the build of a stack by each route, and a block of launches."""
