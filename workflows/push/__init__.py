# SPDX-License-Identifier: BSD-3-Clause
"""Delivery of the records of runs to a site's systems: spool, retry, and what each kind of receiver is sent."""
