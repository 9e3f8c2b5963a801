# SPDX-License-Identifier: BSD-3-Clause
"""What jobs add to the spread, and what another job would show."""
