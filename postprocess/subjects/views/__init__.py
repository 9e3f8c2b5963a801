# SPDX-License-Identifier: BSD-3-Clause
"""Results as other benchmarks and studies print and draw them."""
