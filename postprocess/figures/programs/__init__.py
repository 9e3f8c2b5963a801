# SPDX-License-Identifier: BSD-3-Clause
"""Figures of programs that users run."""
