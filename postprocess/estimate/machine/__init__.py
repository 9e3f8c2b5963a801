# SPDX-License-Identifier: BSD-3-Clause
"""What the launches ran on: nodes, clocks, probes, timeline."""
