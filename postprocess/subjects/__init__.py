# SPDX-License-Identifier: BSD-3-Clause
"""What the report is about: one folder per subject with its table, figure, finding and section."""
