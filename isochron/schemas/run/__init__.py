# SPDX-License-Identifier: BSD-3-Clause
"""What a run writes and reads again: plan, state, manifests, launches, the columns of the store."""
