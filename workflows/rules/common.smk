# SPDX-License-Identifier: BSD-3-Clause
# What the rules share: the plan, and how far a block is from the front of the queue.

import json
from pathlib import Path

PLAN = json.loads(Path("plan.json").read_text(encoding="utf-8"))
BLOCKS = {block["name"]: block for block in PLAN["blocks"]}
STACKS = sorted({launch["stack"] for block in BLOCKS.values() for launch in block["launches"]})


wildcard_constraints:
    stack="|".join(STACKS),
    block="|".join(BLOCKS),
