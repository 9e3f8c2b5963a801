# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of programs: the library that counts calls (library/), a program run under it, and a campaign made of it."""
