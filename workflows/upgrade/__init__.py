# SPDX-License-Identifier: BSD-3-Clause
"""From two versions of a library to what the change costs: many cases are screened, and some measured again."""
