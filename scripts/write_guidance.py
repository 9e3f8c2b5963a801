# SPDX-License-Identifier: BSD-3-Clause
"""Writes the pages that follow from words and formulae of the sources: glossary.md and cost.md.

usage: python scripts/write_guidance.py [FOLDER]     (default: docs/reference)
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from isochron.common.detectable import POWER
from isochron.postprocess.formatting.glossary import GLOSSARY
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Plan
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.power import MAX_BLOCKS, blocks_needed, blocks_to_detect, detectable

NOTE = "<!-- made by scripts/write_guidance.py from the sources; a test compares -->\n"

#: Spreads of launches, from a quiet node to a busy machine; what may be wanted; blocks of the first table.
SPREADS = (0.01, 0.02, 0.05, 0.1)
#: Spreads of the ratios of blocks in turns.
RATIO_SPREADS = (0.01, 0.03, 0.06, 0.12)
WANTED = (0.1, 0.15, 0.2, 0.3, 0.5)
BLOCKS = (5, 7, 10, 15, 20, 30, 50, 100)
#: The campaign that the tables are of.
OPERATIONS, SIZES = ["barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall"], [8, 256, 4096, 65536]

GLOSSARY_HEAD = """
# Glossary

The words of the report's first screen. There, a word with a dotted line has its meaning where the mouse rests on it,
and leads to this list. [Below](#words-of-campaign-files-and-tables) are those of campaign files and tables.

| word | meaning |
|---|---|
"""

#: What stands below the words of the report.
TERMS = """
## Words of campaign files and tables

| term | meaning |
|---|---|
| campaign | one planned experiment: stacks × operations × sizes × points, replicated |
| run | one execution of a campaign |
| point | (processes, processes per node, placement): each needs a separate launch |
| case | (operation, bytes, point), what stacks are compared on; an operation may have a datatype: `bcast@vector-32` |
| result | a case under one stack, over all launches |
| measurement | one operation and size in one launch |
| pass | one sweep over all measurements of a launch |
| batch | repetitions under one schedule |
| repetition | one timed execution of one operation |
| slot | the time window of one repetition |
| session | the launches of a block that measure in turns, on the same cores |
| turn | what a launch measures while the others of its session sleep: all cases in a row, once in each round |
| slice | one case in one turn |
| price of company | what the other launches of a session add to a time |
| candle | a program of the project without MPI, fixed for ever, measured beside the stacks in turns of its own |
| regime | a speed level of the machine that lasts for seconds to minutes: quiet is the fastest, others are disturbed |
| question | what a campaign is to decide; its pairs of stacks are the confirmatory family of tests |
"""

COST_HEAD = """
# Reference: what a difference costs

Times differ from one start of a program to the next. How small a difference a campaign finds therefore depends on how
far its starts *spread*, and on how many there are. The tables are worked out by the formula with which
`isochron plan` says the same of your own campaign, before anything is measured.

The tables are of starts in random order, and the last one is of [turns](#in-turns). They hold for {comparisons}
comparisons ({operations} operations, {sizes} sizes, one number of processes), one pair of stacks, two starts of each
stack in a block, a practical threshold of {threshold}, and {confidence} confidence over all comparisons together.
*Found* means: shown to be beyond the threshold, in {power} campaigns of ten. More comparisons and more pairs of stacks
cost a little more, fewer a little less.

The spread of your machine is what a campaign of your own shows: `isochron plan` takes it from the newest run, and
assumes 2 and 5 % where there is none.
"""

DETECTED_HEAD = """
## What so many blocks find

The smallest difference that is mostly found. With fewer than {fewest} blocks nothing can be established, whatever
the spread.

"""

NEEDED_HEAD = """
## What a difference takes

Blocks, and the minutes for which they take one node, by the estimate of `isochron plan`.

"""

TURNS_HEAD = """
## In turns

In turns the unit is the ratio of a block, and its standard deviation (SD) counts, not that of launches. On two shared
cores it was 3 % between versions of a library and 12 % between libraries, where launches in random order had 30 %.
The smallest difference that is mostly found:

"""

COST_FOOT = """
Half the difference beyond the threshold takes four times the blocks; half the spread a quarter of them. So look for a
quiet time first (`isochron doctor`), and raise `replication.blocks` then. Two stacks alone, in many blocks, settle more
than five stacks in few: [ask a question](../how-to/ask-a-question.md). `replication: {sequential: true}` stops as soon
as all is decided ([how](../how-to/schedule-campaigns.md#budget-remeasurement-and-order)).
"""


def campaign(blocks: int, design: str = "random") -> Campaign:
    """Return a campaign of two versions of a library on one node, in N blocks."""
    return Campaign.model_validate(
        {
            "schema": 1,
            "name": "cost",
            "stacks": ["mpich-4.3", "mpich-5.0"],
            "operations": OPERATIONS,
            "sizes": SIZES,
            "processes": [2],
            "processes_per_node": [2],
            "replication": {"blocks": blocks, "launches_per_block": 2, "design": design},
            "site": {"cores_per_node": 2},
        }
    )


def glossary_page() -> str:
    """Return text of glossary.md."""
    lines = [f"| {word} | {meaning} |" for word, meaning in GLOSSARY.items()]
    return f"{NOTE}{GLOSSARY_HEAD}" + "\n".join(lines) + f"\n{TERMS}"


def cost_page() -> str:
    """Return text of cost.md."""
    example = campaign(10)
    plan = make_plan(example)
    head = COST_HEAD.format(
        comparisons=len(cases(example.operations, example.sizes)),
        operations=len(OPERATIONS),
        sizes=len(SIZES),
        threshold=f"{example.analysis.threshold:.0%}".replace("%", " %"),
        confidence=f"{example.analysis.confidence:.0%}".replace("%", " %"),
        power="nine" if POWER == 0.9 else f"{10 * POWER:g}",
    )
    spreads = " | ".join(f"spread {_percent(spread)}" for spread in SPREADS)
    detected = [f"| blocks | starts of each stack | {spreads} |", "|---|---|" + "---|" * len(SPREADS)]
    detected += [_detected(blocks, plan) for blocks in BLOCKS]
    needed = [f"| to find | {spreads} |", "|---|" + "---|" * len(SPREADS)]
    needed += [_needed(example, plan, target) for target in WANTED]
    fewest = DETECTED_HEAD.format(fewest=blocks_needed(campaign(1)))
    tables = [*detected, NEEDED_HEAD + "\n".join(needed), TURNS_HEAD + "\n".join(_turns_table(plan)), COST_FOOT]
    return NOTE + head + fewest + "\n".join(tables)


def _detected(blocks: int, plan: Plan) -> str:
    return f"| {blocks} | {2 * blocks} | {_ratios(campaign(blocks), plan, SPREADS)} |"


def _turns_table(plan: Plan) -> list[str]:
    heads = " | ".join(f"SD {_percent(spread)}" for spread in RATIO_SPREADS)
    rows = [f"| {blocks} | {_ratios(campaign(blocks, 'turns'), plan, RATIO_SPREADS)} |" for blocks in BLOCKS]
    return [f"| blocks | {heads} |", "|---|" + "---|" * len(RATIO_SPREADS), *rows]


def _ratios(example: Campaign, plan: Plan, spreads: Sequence[float]) -> str:
    ratios = (detectable(example, plan, spread) for spread in spreads)
    return " | ".join("nothing" if ratio is None else _percent(ratio - 1) for ratio in ratios)


def _needed(example: Campaign, plan: Plan, target: float) -> str:
    cells = []
    for spread in SPREADS:
        blocks = blocks_to_detect(example, plan, spread, 1 + target)
        minutes = 60 * plan.node_hours * (blocks or 0) / example.replication.blocks
        cells.append(
            f"more than {MAX_BLOCKS} blocks" if blocks is None else f"{blocks} blocks, {max(1, minutes):.0f} min"
        )
    return f"| {_percent(target)} | {' | '.join(cells)} |"


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %"


PAGES = {"glossary.md": glossary_page, "cost.md": cost_page}


def main(folder: Path) -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "reference")
