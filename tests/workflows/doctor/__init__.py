# SPDX-License-Identifier: BSD-3-Clause
"""Checks of machines and sites."""
