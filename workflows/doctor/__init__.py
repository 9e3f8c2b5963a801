# SPDX-License-Identifier: BSD-3-Clause
"""What of this machine would spoil a measurement: one check a fact, each answered in words."""
