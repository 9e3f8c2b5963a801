# SPDX-License-Identifier: BSD-3-Clause
"""The unit of bandwidth in these views: what PMB, IMB, MSU and the BXJ study print as MB/s are 2²⁰ bytes a second."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.formatting.numbers__units import MIB


def mib_per_s(moved: pd.Series[float], time_us: pd.Series[float]) -> pd.Series[float]:
    """Bytes moved in a time (µs), in MiB/s: `moved` / (1.048576 · `time_us`)."""
    return moved * 1e6 / (MIB * time_us)
