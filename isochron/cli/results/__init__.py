# SPDX-License-Identifier: BSD-3-Clause
"""The commands on existing runs."""
