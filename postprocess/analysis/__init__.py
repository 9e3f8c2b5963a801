# SPDX-License-Identifier: BSD-3-Clause
"""All tables of a run, made once and kept at full precision."""
