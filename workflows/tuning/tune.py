# SPDX-License-Identifier: BSD-3-Clause
"""Tuning of one stack of a campaign: algorithms in rounds, then the library's own choice against the rules in force."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from isochron.common.files import FileError
from isochron.schemas.engine.contract import WITHOUT_DATA, datatype_name
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import Replication
from isochron.schemas.run.family import Family
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.tuning import Rule, TunedCase, Tuning
from isochron.spack_envs.declarations import family_in
from isochron.workflows.campaign_mistakes import valid_campaign
from isochron.workflows.driving.measured import measure, run_of
from isochron.workflows.driving.postprocess import block_ratios
from isochron.workflows.explanation.choices import Choices, find_choices
from isochron.workflows.explanation.library_settings import build_reader
from isochron.workflows.explanation.setting_files import prove_in_force
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import comparison_of, run_to_continue
from isochron.workflows.tuning.files import has_sizes, write_files
from isochron.workflows.tuning.proof import check_sizes, settle
from isochron.workflows.tuning.rounds import ERROR, ROUNDS, Field, Variant
from isochron.workflows.tuning.rules import Case, for_all_sizes, rules_of
from isochron.workflows.upgrade.stages import BRIEF

#: Folder of the runs of the rounds, in the folder of results: no command lists them.
FOLDER = ".tune"
#: Variants beside the default in one run.
MOST = 6
#: Blocks of a round, and of the proof: least and most; share of the minutes for all rounds.
BLOCKS, PROOF, FIRST = (3, 8), (12, 24), 0.6
#: Keys of a campaign that are not those of a round.
_OTHER = (
    "question", "contrasts", "groups", "tools", "programs", "sizes_by_operation", "first_calls", "scan", "remeasure",
    "compare_clock_syncs", "hooks", "description",
)  # fmt: skip


@dataclass
class Tune:
    """The tuning of a stack. `minutes`: for the rounds and the proof; `again`: measure again what an equal call has."""

    campaign: Campaign
    stack: str
    results: Path
    minutes: float
    console: Console
    quiet: bool
    again: bool = False
    launches: int = 0
    locks: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """The folder of all but the proof."""
        return self.results.resolve() / FOLDER

    @property
    def threshold(self) -> float:
        """From which share on a default is bad."""
        return self.campaign.analysis.threshold

    # what is there to choose from

    def first(self) -> tuple[Campaign, Plan]:
        """Return the campaign of a single launch, which builds what reads the settings of the library."""
        operation = self.campaign.operations[0]
        replication = {"blocks": 1, "launches_per_block": 1, "design": "random"}
        keys = {"operations": [operation], "sizes": [min(self.campaign.sizes)], "replication": replication}
        campaign = self._campaign("first", [self.stack], {}, {**keys, "processes": [min(self.campaign.processes)]})
        return campaign, make_plan(campaign)

    def choices(self, *, measured_only: bool = False) -> Choices | None:
        """Return the algorithms of the library; `measured_only`: None if the first launch is still to come.

        Raises UnfinishedError, FileError.
        """
        campaign, plan = self.first()
        run = run_to_continue(self.home, plan) if measured_only else None
        if measured_only and (run is None or not run.manifest(self.stack).is_file()):
            return None
        if run is None:
            run = self._measured(self.home, campaign, plan, until_store=True)
        manifest, counts = Manifest.load(run.manifest(self.stack)), self.campaign.processes
        operations = [name for name in self.campaign.operations if not datatype_name(name)]
        return find_choices(manifest, self._family, operations, counts, self._readers)

    @property
    def _family(self) -> Family:
        return family_in(self.campaign, self.stack)

    @property
    def _readers(self) -> Path:
        return self.home / "readers"

    def field_of(self, choices: Choices) -> Field:
        """Return the cases that are tuned: those of operations with algorithms to choose from."""
        cases = [
            (operation, size, processes)
            for processes in self.campaign.processes
            for operation, size in self.campaign.chosen
            if operation in choices.algorithms
        ]
        return Field(choices, cases, self.threshold)

    # rounds

    def round_of(self, tuned: Field, blocks: int) -> list[tuple[dict[str, Variant], Campaign, Plan]]:
        """Return the campaigns of the next round: each has some variants beside the default."""
        variants = {f"{self.stack}.try-{number}"[-64:]: one for number, one in enumerate(tuned.variants(), 1)}
        names = list(variants)
        cases = tuned.open_cases()
        planned = []
        for start in range(0, len(names), MOST):
            part = {name: variants[name] for name in names[start : start + MOST]}
            environments = {name: self._variables(one, tuned.choices) for name, one in part.items()}
            of_part = [case for case in cases if any(case[0] in one for one in part.values())]
            keys = {
                **_measuring(of_part),
                "engine": {**self._engine, **BRIEF},
                "replication": Replication.in_turns(blocks),
            }
            campaign = self._campaign("round", [self.stack, *part], environments, keys, tuned.rounds * 100 + start + 1)
            planned.append((part, campaign, make_plan(campaign)))
        return planned

    @property
    def _engine(self) -> dict[str, Any]:
        document: dict[str, Any] = self.campaign.model_dump(mode="json", by_alias=True, exclude_unset=True)
        engine: dict[str, Any] = document.get("engine", {})
        return engine

    def _variables(self, variant: Variant, choices: Choices) -> dict[str, str]:
        chosen = (choices.algorithms[operation][number] for operation, number in variant.items())
        return {**choices.needs, **{one.variable: one.new for one in chosen}}

    def blocks_of(self, tuned: Field) -> int:
        """Return the blocks of each round that the minutes permit. Raises FileError if the fewest take more.

        By the coarse model alone: what was measured meanwhile must not change the plan of a call that goes on.
        """
        least, most = BLOCKS
        seconds = sum(plan.seconds for _, _, plan in self.round_of(tuned, least)) * ROUNDS
        if seconds > 60 * FIRST * self.minutes:
            raise FileError(
                f"--minutes {self.minutes:g}: the rounds of {self.stack} alone take {seconds / 60:.3g}, and have "
                f"{100 * FIRST:g} % of them; give {math.ceil(seconds / 60 / FIRST)}, or fewer operations or sizes"
            )
        return min(most, math.floor(least * 60 * FIRST * self.minutes / seconds)) if seconds else least

    def eliminate(self, tuned: Field, blocks: int) -> None:
        """Measure rounds until nothing is left to decide. Raises UnfinishedError."""
        while not tuned.decided:
            measured = []
            for variants, campaign, plan in self.round_of(tuned, blocks):
                run = self._measured(self.home, campaign, plan, until_store=True)
                measured += [
                    (variants[row["variant"]], (row["operation"], row["bytes"], row["processes"]), row["logs"])
                    for row in block_ratios(run, self.stack)
                ]
            if not measured:
                raise FileError(
                    f"{run.root}: no algorithm of {self.stack} has a value beside its own choice, so nothing can be "
                    f"eliminated; see `isochron report {run.root}`"
                )
            tuned.add(measured)
            if not self.quiet:
                self.console.print(
                    f"{self.stack}: round {tuned.rounds}: {int(tuned.left.sum())} of {int(tuned.wanted.sum())} "
                    f"algorithms left, in {len(tuned.open_cases())} of {len(tuned.cases)} cases"
                )

    # rules and their proof

    def rules(self, tuned: Field) -> list[Rule]:
        """Return the rules of what has won."""
        winners = tuned.winners()
        sized = {case: one for case, one in winners.items() if has_sizes(one.setting, case[0])}
        others = {case: one for case, one in winners.items() if case not in sized}
        return [
            *rules_of(sized, tuned.cases, tuned.choices),
            *for_all_sizes(others, tuned.cases, tuned.loses(), tuned.choices),
        ]

    def proof(self, rules: Sequence[Rule], tuned: Field) -> tuple[Campaign, Plan]:
        """Return the campaign of the library's own choice and of the rules in force. Raises FileError.

        Its rules are in a folder that is named by what they are, since a plan knows the path alone.
        """
        text = "".join(rule.model_dump_json() for rule in rules)
        folder = self.home / f"rules-{self.stack}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        _, variables = write_files(folder, rules, tuned.choices.needs, tuned.choices.settings)
        check_sizes(folder, rules, tuned.cases)
        operations = {rule.operation for rule in rules}
        cases = [case for case in tuned.cases if case[0] in operations]
        name = f"{self.stack}.tuned"[-64:]

        def campaign_of(blocks: int) -> Campaign:
            keys = {
                **_measuring(cases),
                "engine": self._engine,
                "replication": Replication.in_turns(blocks),
                "question": {"baseline": self.stack, "candidate": name},
            }
            return self._campaign("", [self.stack, name], {name: variables}, keys, 99)

        least, most = PROOF
        seconds = make_plan(campaign_of(least)).seconds / least
        blocks = min(most, max(least, math.floor(60 * (1 - FIRST) * self.minutes / seconds)))
        campaign = campaign_of(blocks)
        return campaign, make_plan(campaign)

    def prove(self, rules: Sequence[Rule], tuned: Field, blocks: int) -> RunLayout:
        """Measure the proof up to the report, and write what is proven into its folder.

        Raises UnfinishedError, FileError.
        """
        before = self.launches
        campaign, plan = self.proof(rules, tuned)
        run = self._measured(self.results, campaign, plan, until_store=False)
        self._check_in_force(run, campaign)
        cases = [
            TunedCase(
                operation=row["operation"], bytes=int(row["bytes"]), processes=int(row["processes"]),
                rule=any(rule.holds(*_case_of(row)) for rule in rules), verdict=row["verdict"],
                ratio=_number(row["ratio"]), low=_number(row["ratio_low"]), high=_number(row["ratio_high"]),
            )
            for row in comparison_of(run)
            if row["family"] == "question"
        ]  # fmt: skip
        kept, left_out = settle(rules, cases, tuned.cases)
        files = write_files(run.tuning_files, kept, tuned.choices.needs, tuned.choices.settings)[0] if kept else []
        check_sizes(run.tuning_files, kept, tuned.cases)
        result = self.result(tuned, blocks, before).model_copy(
            update={
                "rules": kept,
                "left_out": left_out,
                "cases": cases,
                "files": [str(path.relative_to(run.root)) for path in files],
            }
        )
        result.save(run.tuning)
        return run

    def result(self, tuned: Field, blocks: int, launches: int) -> Tuning:
        """Return what the rounds found, without rules."""
        return Tuning(
            stack=self.stack,
            library=tuned.choices.library,
            threshold=self.threshold,
            error=ERROR,
            tried={name: [one.new for one in listed] for name, listed in tuned.choices.algorithms.items()},
            refused=tuned.choices.refused,
            screened=len(tuned.cases),
            rounds=tuned.rounds,
            blocks=blocks,
            launches=launches,
        )

    def save(self, result: Tuning) -> Path:
        """Write a result without rules, which has no run of its own, and return its file."""
        path = self.home / f"tuning-{self.stack}.json"
        result.save(path)
        return path

    def _check_in_force(self, run: RunLayout, campaign: Campaign) -> None:
        """Raise FileError if the library does not report the values of the variables that put the rules in force."""
        manifest = Manifest.load(run.manifest(self.stack))
        variables = campaign.variants[campaign.stacks[1]].environment
        reader = build_reader(manifest, self._readers)
        prove_in_force(reader, manifest, self._family, variables, variables, self.stack)

    def _measured(self, results: Path, campaign: Campaign, plan: Plan, *, until_store: bool) -> RunLayout:
        """Measure a campaign, or continue an equal one."""
        if plan.skipped:
            one = plan.skipped[0]
            raise FileError(f"{one.stack}, {one.point.processes} processes: {one.reason}")
        console = None if self.quiet else self.console
        run = run_of(results, campaign, plan, again=self.again, locks=self.locks, console=console)
        self.locks = Plan.load(run.plan).locks
        measure(run, campaign, self.console, quiet=self.quiet, until_store=until_store)
        self.launches += len(plan.launches)
        return run

    def _campaign(
        self,
        word: str,
        stacks: Sequence[str],
        environments: Mapping[str, Mapping[str, str]],
        keys: Mapping[str, Any],
        seed: int = 0,
    ) -> Campaign:
        """Return a campaign of this stack and variants of it. `word`: which one it is; empty: the proof."""
        document: dict[str, Any] = self.campaign.model_dump(mode="json", by_alias=True, exclude_unset=True)
        document = {name: value for name, value in document.items() if name not in _OTHER}
        of_stack = self.campaign.variants.get(self.stack)
        variants: dict[str, Any] = {}
        if of_stack is not None:
            variants[self.stack] = of_stack
        for name, variables in environments.items():
            variants[name] = self.campaign.varied(self.stack, variables)
        ending = f"-{word}" if word else ""
        return valid_campaign(
            {
                **document,
                "processes_per_node": [max(self.campaign.processes_per_node)],
                "placements": self.campaign.placements[:1],
                **keys,
                "name": f"tune-{self.stack}"[: 64 - len(ending)].rstrip("-._") + ending,
                "title": f"Algorithms of {self.stack}" if word else f"{self.stack}: its own choice and the rules",
                "stacks": list(stacks),
                "variants": variants,
                "seed": self.campaign.seed + seed,
            },
            "tune",
        )


def _measuring(cases: Sequence[Case]) -> dict[str, Any]:
    """Return the keys of a campaign that measures these cases."""
    return {
        "operations": list(dict.fromkeys(operation for operation, _, _ in cases)),
        "sizes": sorted({size for operation, size, _ in cases if operation not in WITHOUT_DATA}) or [8],
        "processes": list(dict.fromkeys(processes for _, _, processes in cases)),
    }


def _case_of(row: Mapping[str, str]) -> Case:
    return row["operation"], int(row["bytes"]), int(row["processes"])


def _number(text: str) -> float | None:
    return float(text) if text else None
