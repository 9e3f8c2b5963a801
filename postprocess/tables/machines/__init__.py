# SPDX-License-Identifier: BSD-3-Clause
"""Tables of nodes, links and other machines."""
