# SPDX-License-Identifier: BSD-3-Clause
"""The machine's weather taken out of values, by probes that were read beside them: by a slope, or by regimes."""
