# SPDX-License-Identifier: BSD-3-Clause
"""The engine's options and description, and the command line."""
