# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what a site is advised to set."""
