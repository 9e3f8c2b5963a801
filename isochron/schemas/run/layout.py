# SPDX-License-Identifier: BSD-3-Clause
"""Paths of all files of a run (docs/output-layout.md describes each)."""

import re
from dataclasses import dataclass
from pathlib import Path

from isochron.common.copies import files_in
from isochron.common.packed import PACKED

#: Folder of the history cache, in the folder of results.
ARCHIVE = ".cache"

#: Name of the candle among the stacks that are built.
CANDLE = "candle"

#: End of the name of a launch of a third-party benchmark, and suffix of its raw file, the benchmark's output.
OF_TOOL = re.compile(r"\.l\d+\.([a-z]+)$")
PRINTOUT = ".tool-output"
#: Suffixes of the files of a launch.
OF_LAUNCH = re.compile(r"(\.jsonl|\.tool-output|\.witness)?(\.gz)?$")


def tool_of(launch: str) -> str:
    """Return the third-party benchmark of a launch, by its name; empty for the engine."""
    match = OF_TOOL.search(launch)
    return match[1] if match else ""


def raw_name(launch: str) -> str:
    """Return the name of the raw file of a launch."""
    return f"{launch}{PRINTOUT if tool_of(launch) else '.jsonl'}"


def raw_file(launch: str) -> str:
    """Return the path of a launch's raw file in its run folder."""
    return f"launches/{raw_name(launch)}"


def launch_of(path: Path) -> str:
    """Return the launch of a raw file, compressed or not."""
    return OF_LAUNCH.sub("", path.name)


class _At:
    """A file or folder of a run, at a path below its root."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, run: "RunLayout", _: "type[RunLayout]") -> Path:
        return run.root / self.path


@dataclass(frozen=True)
class RunLayout:
    """Paths of `results/<campaign>/<run-id>/`."""

    root: Path

    #: State of the run (RunState).
    state = _At("campaign.json")
    #: The campaign file as the user wrote it.
    campaign = _At("campaign.yaml")
    #: Every launch (Plan).
    plan = _At("plan.json")
    #: Decisions of the interim analyses of a sequential campaign (InterimFile).
    interim = _At("interim.json")
    #: Why stacks differ (Explanations); absent until `isochron explain`.
    explanation = _At("explanation.json")
    #: Which version brought a difference (Bisection); absent until `isochron bisect`.
    bisection = _At("bisection.json")
    #: What was screened before this run, and why its cases were chosen (Screening); of `isochron upgrade` only.
    screening = _At("screening.json")
    #: Which algorithms are better than the library's own choice (Tuning); of `isochron tune` only.
    tuning = _At("tuning.json")
    #: Folder of the proven rules as files for a site; of `isochron tune` only.
    tuning_files = _At("tuning")
    #: What to set with the new version (Advice); absent until `isochron advise`.
    advice = _At("advice.json")
    #: Folder of the files that set what is advised; absent until `isochron advise`.
    settings = _At("settings")
    #: Folder of the programs that show findings, one folder each; absent until `isochron reproduce`.
    reproducers = _At("reproduce")
    #: The order of the ranks, for `engine.rank_order: list:FILE`.
    rank_order = _At("rank-order.txt")
    #: Platform file and host files of a simulated machine.
    machine = _At("machine")
    #: Folder of the files of the standard candle, one for each session of launches in turns.
    candles = _At("candles")
    #: Folder of the accepted raw files.
    launches = _At("launches")
    #: Hard links to the tables while the run is measured, which keep their content if the tables are removed.
    so_far = _At("store/.so-far")
    #: SHA-256 of the tables of the store.
    store_sums = _At("store/tables.sha256")
    #: Folder of the CSV tables for people.
    tables = _At("tables")
    #: The table of results; it exists after a run was analysed.
    summary = _At("tables/summary.csv")
    #: Results to be measured again (Flagged).
    flagged = _At("tables/remeasure.json")
    #: Folder of the SVG figures.
    figures = _At("figures")
    #: The report.
    report = _At("report/index.html")
    #: The summary of the report, as Markdown.
    in_words = _At("report/summary.md")
    #: Folder of the logs of Snakemake and ReFrame.
    logs = _At("log")
    #: SHA-256 of each file of store, tables, figures and report of a complete run.
    outputs = _At("log/outputs.sha256")
    #: The reason why no further block is started; it exists while the budget is used up.
    over_budget = _At("log/over-budget.txt")
    #: Lock held while a block's node hours are counted and reserved.
    budget_lock = _At("log/budget.lock")

    @property
    def run_id(self) -> str:
        """Name of the run: that of its folder."""
        return self.root.name

    def manifest(self, stack: str) -> Path:
        """Return a stack with its engine (Manifest)."""
        return self.root / "stacks" / f"{stack}.json"

    def probe_history(self, point: str) -> Path:
        """Return the file of probe readings of the launches at a point (the engine's --probe-history)."""
        return self.root / "attempts" / f"probes-{point}.txt"

    def engine(self, stack: str) -> Path:
        """Return the engine as built with a stack."""
        return self.root / "stacks" / stack / "isochron-engine"

    def build_step(self, stack: str) -> Path:
        """Return the file with what the build of a stack does now, in a few words; it is absent when none runs."""
        return self.logs / "reframe" / f"build-{stack}" / "step"

    def block_log(self, block: str) -> Path:
        """Return the messages of the last call of a block; empty if it succeeded."""
        return self.logs / f"block-{block}.log"

    def wheels_lock(self, stack: str) -> Path:
        """Return the lock of the wheels of a stack by spec, as the plan has it."""
        return self.root / "stacks" / stack / "wheels.lock"

    def npb(self, stack: str) -> Path:
        """Return the folder of the NPB programs that were built with a stack."""
        return self.root / "stacks" / stack / "npb"

    def built_npb(self, stack: str) -> Path:
        """Return the list of these programs (BuiltPrograms)."""
        return self.npb(stack) / "programs.json"

    def programs(self, stack: str, tool: str) -> Path:
        """Return the list of a third-party benchmark's programs for a stack (Programs)."""
        return self.root / "stacks" / stack / f"{tool}.json"

    def spack_environment(self, stack: str) -> Path:
        """Return the Spack environment of a stack: spack.yaml, spack.lock."""
        return self.root / "stacks" / stack / "spack"

    def kept_locks(self, system: str | None) -> Path:
        """Return the folder, beside the campaigns, of the Spack environments concretised for this site, by stack."""
        return self.root.parent.parent / ".spack" / (system or "local").replace(":", "-")

    def block(self, block: str) -> Path:
        """Return a finished block (BlockState)."""
        return self.root / "blocks" / f"{block}.json"

    def attempts(self, block: str) -> Path:
        """Return the folder of all attempts at a block."""
        return self.root / "attempts" / block

    def attempt(self, block: str, number: int) -> Path:
        """Return the folder of one attempt: scripts, output, and files that were not accepted."""
        return self.attempts(block) / f"{number:02d}"

    def timer_checks(self) -> list[Path]:
        """Return the results of the timer checks before each attempt (isochron.schemas.run.provenance)."""
        return files_in(self.root / "attempts", "*/*/timers.txt")

    def launch(self, name: str) -> Path:
        """Return the accepted raw file of a launch, the compressed one if only that exists. It is never changed."""
        plain = self.root / raw_file(name)
        packed = plain.with_name(plain.name + PACKED)
        return packed if packed.exists() and not plain.exists() else plain

    def raw(self, file: str) -> Path:
        """Return the path of the raw file that tables name `file`, compressed or not."""
        return self.launch(launch_of(Path(file)))

    def raw_files(self) -> list[Path]:
        """Return the engine's accepted raw files by launch; each once, even if it is also there compressed."""
        return self._accepted(".jsonl")

    def candle(self, name: str) -> Path:
        """Return the file of the standard candle of a session."""
        return self.candles / f"{name}.jsonl"

    def printouts(self) -> list[Path]:
        """Return the accepted raw files of third-party benchmarks by launch."""
        return self._accepted(PRINTOUT)

    def _accepted(self, suffix: str) -> list[Path]:
        patterns = (f"*{suffix}{PACKED}", f"*{suffix}")
        files = {launch_of(path): path for pattern in patterns for path in self.launches.glob(pattern)}
        return [files[name] for name in sorted(files, key=raw_file)]

    def provenance(self, name: str) -> Path:
        """Return the recorded properties of a launch and its nodes (isochron.schemas.run.provenance)."""
        return self.root / "launches" / f"{name}.provenance"

    def table(self, name: str) -> Path:
        """Return one table of the store (isochron.schemas.run.store)."""
        return self.root / "store" / f"{name}.parquet"

    def kept(self, name: str) -> Path:
        """Return one frame that `analyse` saves for `render`, at full precision."""
        return self.root / "analysis" / f"{name}.parquet"


def run_folders(results: Path, campaign: str) -> list[Path]:
    """Return the run folders of a campaign, oldest first, including links to folders that were moved."""
    parent = results / campaign
    if not parent.is_dir():
        return []
    folders = [path for path in parent.iterdir() if path.is_dir() and not path.name.startswith(("latest", "."))]
    return sorted(path for path in folders if not path.is_symlink() or len(path.readlink().parts) > 1)
