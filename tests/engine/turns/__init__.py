# SPDX-License-Identifier: BSD-3-Clause
"""Launches that measure in turns with others on the same processors."""
