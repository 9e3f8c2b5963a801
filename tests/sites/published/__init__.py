# SPDX-License-Identifier: BSD-3-Clause
"""Facts of published ReFrame configurations of sites, written anew; each file names its source."""
