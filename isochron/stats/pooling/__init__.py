# SPDX-License-Identifier: BSD-3-Clause
"""One value from several runs, when runs differ by more than their own launches show."""
