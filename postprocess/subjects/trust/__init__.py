# SPDX-License-Identifier: BSD-3-Clause
"""Whether the run can be trusted."""
