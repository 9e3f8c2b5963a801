# SPDX-License-Identifier: BSD-3-Clause
"""What a run has used so far, for whoever starts the next part of it."""
