# SPDX-License-Identifier: BSD-3-Clause
"""What `isochron upgrade` screened before the run."""
