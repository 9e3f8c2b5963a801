# SPDX-License-Identifier: BSD-3-Clause
"""Figures of nodes, links and other machines."""
