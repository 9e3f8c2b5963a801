# SPDX-License-Identifier: BSD-3-Clause
"""What a run has found, in the formats of others: for a mail, a pull request, a spreadsheet, a paper, a pipeline."""
