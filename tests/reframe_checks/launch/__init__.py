# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts, command lines, hosts, acceptance."""
