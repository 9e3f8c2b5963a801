# SPDX-License-Identifier: BSD-3-Clause
"""Tables of programs whose profiles a campaign names (`analysis.profiles`)."""
