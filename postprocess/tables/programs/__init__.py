# SPDX-License-Identifier: BSD-3-Clause
"""Tables of programs that users run."""
