# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms of a library that are better than its own choice: found in rounds, proven with the rules in force."""
