# SPDX-License-Identifier: BSD-3-Clause
"""From a campaign to its plan: points, blocks, launches, cost."""
