# SPDX-License-Identifier: BSD-3-Clause
"""What the engine takes and measures, as the engine itself describes it."""
