# SPDX-License-Identifier: BSD-3-Clause
"""What `isochron tune` proved of its rules in this run."""
