# SPDX-License-Identifier: BSD-3-Clause
"""Attacks: something lies to the engine or to the readers, and nothing may be reliable that is wrong."""
