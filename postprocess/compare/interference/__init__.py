# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says of the machine's regimes, and adjusted for interference."""
