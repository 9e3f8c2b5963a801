# SPDX-License-Identifier: BSD-3-Clause
"""Sizes that a library compares messages with, set instead of what explains losses: small messages get these back.

A setting that explains the losses of some sizes is often what made others faster. A setting in bytes that belongs to it
can then keep both: its values are measured beside it, at all sizes from the smallest that loses.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from isochron.schemas.engine.contract import base_operation
from isochron.schemas.run.advice import AdvisedSetting, LeftOut
from isochron.schemas.run.explanation import ChangedSetting, Explanation, set_back
from isochron.workflows.advice.choice import Choice, slower_with_it
from isochron.workflows.advice.trial import Explained
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.explanation.candidates import Library
from isochron.workflows.explanation.experiments import MOST, Case, Experiments, OutOfMinutesError, Setup
from isochron.workflows.explanation.library_settings import Setting, build_reader, read_settings
from isochron.workflows.explanation.remedies import COSTLY
from isochron.workflows.explanation.search import SMALLEST

#: Settings that have a word in common belong together if no more than so many have it.
RARE = 10
#: Operations with losses that are measured, in contiguous data if that loses, too: its large messages take less time.
OPERATIONS = 5
#: Blocks of an experiment.
BLOCKS = 6

_BYTES = re.compile(r"\bbytes?\b", re.IGNORECASE)


@dataclass
class Outcome:
    """What a variant of the new version showed. `sizes`: all that were measured, in bytes.

    `harmed`: cases in which it is slower than both versions; `helped`: those that lost, and lose less with it.
    `excess`: natural logarithms of its time over that of the faster version, summed over the cases in which it is
    slower; `unset`: the same of the new version without settings.
    """

    sizes: list[int]
    harmed: list[Case] = field(default_factory=list)
    helped: list[Case] = field(default_factory=list)
    excess: float = 0.0
    unset: float = 0.0

    @property
    def rank(self) -> tuple[int, float]:
        """The smaller, the better."""
        return len(self.harmed), self.excess

    @property
    def helps(self) -> bool:
        """True if it gives a part of the losses back that is worth a search."""
        return self.excess <= (1 - SMALLEST) * self.unset


def sizes_beside(cause: ChangedSetting, settings: Mapping[str, Setting]) -> list[str]:
    """Return the settings in bytes that belong to a cause: they share a word that few have, the rarest word first."""
    words = {name: set(re.split(r"[^a-z0-9]+", name.lower())) for name in settings}
    count = Counter(word for one in words.values() for word in one)
    rarest = {
        name: min((count[word] for word in words[name] & words.get(cause.setting, set())), default=RARE + 1)
        for name, setting in settings.items()
        if setting.kind == "integer" and not setting.constant and _BYTES.search(setting.meaning)
    }
    near = [name for name in rarest if rarest[name] <= RARE and name != cause.setting]
    return sorted(near, key=lambda name: rarest[name])


def experiments_of(explained: Explained, seconds: float, console: Console, *, quiet: bool, again: bool) -> Experiments:
    """Return the experiments of `find_values`, which take at most so many seconds."""
    explanation = explained.explanation
    return Experiments(
        of_run=explained.run, campaign=load_campaign(explained.run.campaign), old=explanation.old, new=explanation.new,
        point=explanation.point, blocks=BLOCKS, console=console, quiet=quiet, again=again,
        budget=seconds,
    )  # fmt: skip


def find_values(choice: Choice, explanation: Explanation, experiments: Experiments, say: Callable[[str], None]) -> None:
    """Put a size in the place of each chosen setting that harms other sizes. Raises UnfinishedError, FileError.

    `experiments`: of the explained run. Nothing is changed if they do not fit into their budget.
    """
    manifest = experiments.manifest(explanation.new)
    library = Library(manifest, build_reader(manifest, experiments.readers))
    settings = read_settings(library.reader, manifest).settings
    for number, chosen in enumerate(choice.settings):
        cause = _cause(chosen, explanation)
        names = [] if cause is None else sizes_beside(cause, settings)
        if cause is None or not names:
            continue
        cases = _cases(cause, explanation, experiments)
        try:
            [alone] = _measured([chosen], cases, experiments)
            if not alone.harmed:
                continue
            options = [one for name in names for one in _valued(name, cause, sizes_between(alone), library)][:MOST]
            shown = _measured(options, cases, experiments) if options else []
        except OutOfMinutesError:
            say(f"not tried for lack of minutes: sizes instead of {chosen}: {', '.join(names)}")
            return
        best = min(zip(shown, options, strict=True), key=lambda one: one[0].rank, default=None)
        if best is not None and best[0].helps and best[0].rank < alone.rank:
            choice.settings[number] = best[1].model_copy(update={"cases": chosen.cases})
            why = f"{slower_with_it(alone.harmed)}; {best[1]} instead"
            choice.left_out.append(LeftOut(variables=chosen.variables, reason=why))
            say(f"left out: {choice.left_out[-1]}")


def _cause(chosen: AdvisedSetting, explanation: Explanation) -> ChangedSetting | None:
    """Return the changed setting that a chosen one sets back, if it is one."""
    return next((one for one in explanation.tried if chosen.variables == set_back([one])), None)


def _cases(cause: ChangedSetting, explanation: Explanation, experiments: Experiments) -> list[Case]:
    """Return what to measure: operations with losses by a cause, at all sizes from the smallest that loses."""
    lost = [(case.operation, case.bytes) for case in explanation.cases if case.is_lost and cause in case.causes]
    losing = {operation for operation, _ in lost}
    plain = {name: base_operation(name) for name, _ in lost}
    operations = dict.fromkeys(base if base in losing else name for name, base in plain.items())
    wanted = set(list(operations)[:OPERATIONS])
    wanted |= {plain[name] for name in wanted}
    least = min((size for _, size in lost), default=0)
    return [(name, size) for name, size in experiments.campaign.chosen if name in wanted and size >= least]


def _valued(name: str, cause: ChangedSetting, sizes: Sequence[int], library: Library) -> list[AdvisedSetting]:
    """Return a setting with each size that the library accepts."""
    variable = cause.variable_of(name)
    options = [ChangedSetting(setting=name, variable=variable, old="", new=str(size)) for size in sizes]
    return [
        AdvisedSetting(variables={one.variable: one.new}, cases=[])
        for one in options
        if not library.problem(one, one.new)
    ]


def sizes_between(shown: Outcome) -> list[int]:
    """Return the sizes to try, in bytes: the first harmed, the one before it, the first above all helped."""
    harmed, helped = {size for _, size in shown.harmed}, {size for _, size in shown.helped}
    before = [size for size in shown.sizes if size < min(harmed)][-1:]
    above = [size for size in shown.sizes if size > max(helped, default=0)][:1]
    return sorted({min(harmed), *before, *above})


def _measured(settings: Sequence[AdvisedSetting], cases: Sequence[Case], experiments: Experiments) -> list[Outcome]:
    """Return what each setting shows alone in the new version. Raises UnfinishedError, OutOfMinutesError."""
    names = [f"{experiments.new}.value-{number}"[-64:] for number in range(1, len(settings) + 1)]
    setups: dict[str, Setup] = {
        name: (experiments.new, one.variables) for name, one in zip(names, settings, strict=True)
    }
    experiments.measure(setups, cases)
    return [outcome(name, experiments.old, experiments.rows) for name in names]


def outcome(variant: str, old: str, rows: Iterable[Mapping[str, Any]]) -> Outcome:
    """Return what an experiment's rows (`EXPLAINED_COLUMNS`) show of a variant of the new stack."""
    by_case: dict[Case, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        by_case.setdefault((row["operation"], row["bytes"]), {})[row["variant"]] = row
    shown = Outcome(sorted({size for _, size in by_case}))
    for case, stacks in by_case.items():
        if any(stacks.get(stack, {}).get("ratio") is None for stack in (variant, old)):
            continue
        # the new stack's time over that of the variant, and over that of the old one
        saved, before = stacks[variant]["ratio"], stacks[old]["ratio"]
        shown.unset += max(0.0, math.log(before))
        shown.excess += max(0.0, math.log(max(1.0, before) / saved))
        if stacks[variant]["ratio_high"] <= 1 / COSTLY and saved <= before / COSTLY:
            shown.harmed.append(case)
        elif stacks[variant]["ratio_low"] >= COSTLY and before >= COSTLY:
            shown.helped.append(case)
    return shown
