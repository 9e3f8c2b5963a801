# SPDX-License-Identifier: BSD-3-Clause
"""The base class of what several ReFrame checks share, under its name in each version of ReFrame."""

from typing import Any

import reframe

#: `RegressionTestPlugin`, which ReFrame 4.8 calls `RegressionMixin`. That name is deprecated since 4.9, and an error
#: with RFM_WARN_AS_ERROR. To be replaced by `reframe.RegressionTestPlugin` when pyproject.toml asks for ReFrame 4.9.
CheckPlugin: Any = getattr(reframe, "RegressionTestPlugin", None) or reframe.RegressionMixin
