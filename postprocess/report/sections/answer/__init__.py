# SPDX-License-Identifier: BSD-3-Clause
"""The first screen: the answers, the findings, and what they rest on."""
