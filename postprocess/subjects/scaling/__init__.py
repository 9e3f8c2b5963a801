# SPDX-License-Identifier: BSD-3-Clause
"""Scalability: curves over processes and their cost models."""
