# SPDX-License-Identifier: BSD-3-Clause
"""Machines and their nodes: two of them on one axis, and the map of a scan."""
