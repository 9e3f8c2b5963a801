# SPDX-License-Identifier: BSD-3-Clause
"""The run compared with other machines."""
