# SPDX-License-Identifier: BSD-3-Clause
"""The calculations, by layer: values, comparison, models, judgements, machine. No presentation."""
