# SPDX-License-Identifier: BSD-3-Clause
"""Cached values and properties of every run of a folder of results."""
