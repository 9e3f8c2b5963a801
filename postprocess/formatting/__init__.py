# SPDX-License-Identifier: BSD-3-Clause
"""Numbers, cases and points as text."""
