# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of results and their launches."""
