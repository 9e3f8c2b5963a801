# SPDX-License-Identifier: BSD-3-Clause
"""The data schema: a pydantic model or column list for every file that crosses a boundary.

A leaf: it imports nothing of the project, and every other room may import it.
"""
