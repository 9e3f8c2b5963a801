# SPDX-License-Identifier: BSD-3-Clause
"""Programs that users run, by placement: their results, the nodes that they took, and published ones beside them."""
