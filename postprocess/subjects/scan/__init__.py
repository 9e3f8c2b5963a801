# SPDX-License-Identifier: BSD-3-Clause
"""The scan of nodes and links."""
