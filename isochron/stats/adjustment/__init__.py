# SPDX-License-Identifier: BSD-3-Clause
"""Values adjusted for interference, by probes that were read beside them: by a slope, or by regimes."""
