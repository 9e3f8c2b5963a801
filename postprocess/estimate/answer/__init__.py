# SPDX-License-Identifier: BSD-3-Clause
"""The answer to the campaign's question, and the quality of the run."""
