# SPDX-License-Identifier: BSD-3-Clause
"""What is measured beside the time."""
