# SPDX-License-Identifier: BSD-3-Clause
"""What a launch takes to start and to end."""
