# SPDX-License-Identifier: BSD-3-Clause
"""Why two versions of a library differ, in the report."""
