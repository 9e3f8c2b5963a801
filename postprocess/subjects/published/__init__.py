# SPDX-License-Identifier: BSD-3-Clause
"""Published findings: sentences of the study that a campaign repeats, checked against the tables of the run."""
