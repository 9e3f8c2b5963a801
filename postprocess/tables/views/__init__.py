# SPDX-License-Identifier: BSD-3-Clause
"""Tables as other benchmarks print them, by their formulae and in their units; a campaign asks for them."""
