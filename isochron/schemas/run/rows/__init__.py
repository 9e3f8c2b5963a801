# SPDX-License-Identifier: BSD-3-Clause
"""Whether the rows of a raw file agree with themselves."""
