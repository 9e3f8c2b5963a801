# SPDX-License-Identifier: BSD-3-Clause
"""The engine under SimGrid."""
