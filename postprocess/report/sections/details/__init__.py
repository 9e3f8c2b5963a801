# SPDX-License-Identifier: BSD-3-Clause
"""The section on what is measured beside the time."""
