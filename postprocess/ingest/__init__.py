# SPDX-License-Identifier: BSD-3-Clause
"""Raw files of a run to its store, and reading of both."""
