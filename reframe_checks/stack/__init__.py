# SPDX-License-Identifier: BSD-3-Clause
"""A stack beside its build: its inspection, the cache of its engine, the options it is asked about."""
