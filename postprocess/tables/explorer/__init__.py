# SPDX-License-Identifier: BSD-3-Clause
"""What the explorer of the report shows beside time and ratio: rates, and the launches one by one."""
