# SPDX-License-Identifier: BSD-3-Clause
"""Imitations of the launchers of sites, and what is started with them."""
