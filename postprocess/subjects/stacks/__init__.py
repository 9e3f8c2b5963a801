# SPDX-License-Identifier: BSD-3-Clause
"""The stacks side by side."""
