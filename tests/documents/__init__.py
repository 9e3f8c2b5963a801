# SPDX-License-Identifier: BSD-3-Clause
"""Every command of every page: run by a test, or marked with what it needs."""
