# SPDX-License-Identifier: BSD-3-Clause
"""Raw files, plan and campaign of a run → the store, and the store → frames."""
