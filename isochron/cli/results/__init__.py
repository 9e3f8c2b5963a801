# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that look at runs that there are."""
