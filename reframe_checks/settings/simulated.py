# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame settings for simulated machines: system `simulated`, whose partition is the machine (ISOCHRON_MACHINE).

All runs on this machine, under the simulator's launcher; blocks do not disturb each other.
"""

import copy
import os
from typing import Any

from isochron.reframe_checks.settings import local

settings: dict[str, Any] = copy.deepcopy(dict(local.site_configuration))
system = settings["systems"][0]
system |= {"name": "simulated", "descr": "a machine that is simulated on this one"}
system["partitions"][0] |= {"name": os.environ["ISOCHRON_MACHINE"], "descr": "the simulated machine"}
settings["environments"][0]["target_systems"] = ["simulated"]

# ReFrame looks for this assignment in the text of the file.
site_configuration = settings
