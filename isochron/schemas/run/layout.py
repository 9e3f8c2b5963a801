# SPDX-License-Identifier: BSD-3-Clause
"""The one place that knows where the files of a run lie (docs/output-layout.md describes each)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from isochron.common.packed import PACKED

#: Folder in that of the results in which what was worked out of each run is kept.
ARCHIVE = ".cache"

#: What the name of a launch of another benchmark ends with, and that of its raw file: what the benchmark has printed.
OF_TOOL = re.compile(r"\.l\d+\.([a-z]+)$")
PRINTOUT = ".tool-output"
#: What the files of a launch end with, beside its name; of a benchmark `.launch-check` until it is accepted.
OF_LAUNCH = re.compile(r"(\.jsonl|\.tool-output|\.witness)?(\.gz)?$")


def tool_of(launch: str) -> str:
    """The benchmark that a launch is of, by its name; empty: the engine."""
    found = OF_TOOL.search(launch)
    return found[1] if found else ""


def raw_name(launch: str) -> str:
    """The name of the raw file of a launch."""
    return f"{launch}{PRINTOUT if tool_of(launch) else '.jsonl'}"


def raw_file(launch: str) -> str:
    """Where the raw file of a launch lies in its run folder."""
    return f"launches/{raw_name(launch)}"


def launch_of(path: Path) -> str:
    """The launch of a raw file, compressed or not."""
    return OF_LAUNCH.sub("", path.name)


@dataclass(frozen=True)
class RunLayout:
    """Paths of `results/<campaign>/<run-id>/`."""

    root: Path

    @property
    def run_id(self) -> str:
        """Name of the run: that of its folder."""
        return self.root.name

    @property
    def state(self) -> Path:
        """State of the run (RunState)."""
        return self.root / "campaign.json"

    @property
    def campaign(self) -> Path:
        """The campaign file as it was given."""
        return self.root / "campaign.yaml"

    @property
    def plan(self) -> Path:
        """Every launch (Plan)."""
        return self.root / "plan.json"

    @property
    def looks(self) -> Path:
        """What the looks of a sequential campaign have decided (Looks)."""
        return self.root / "interim.json"

    @property
    def rank_order(self) -> Path:
        """The order of the ranks, for `engine.rank_order: list:FILE`."""
        return self.root / "rank-order.txt"

    def manifest(self, stack: str) -> Path:
        """A stack with its engine (Manifest)."""
        return self.root / "stacks" / f"{stack}.json"

    def probe_history(self, point: str) -> Path:
        """Probe readings of the launches at a point (the engine's --probe-history)."""
        return self.root / "attempts" / f"probes-{point}.txt"

    @property
    def machine(self) -> Path:
        """Platform file and host files of a simulated machine."""
        return self.root / "machine"

    def engine(self, stack: str) -> Path:
        """The engine as built with a stack."""
        return self.root / "stacks" / stack / "isochron-engine"

    def npb(self, stack: str) -> Path:
        """Folder of the programs of NPB that were built with a stack."""
        return self.root / "stacks" / stack / "npb"

    def built_npb(self, stack: str) -> Path:
        """What was built there (BuiltPrograms)."""
        return self.npb(stack) / "programs.json"

    def programs(self, stack: str, tool: str) -> Path:
        """The programs of another benchmark for a stack (Programs)."""
        return self.root / "stacks" / stack / f"{tool}.json"

    def spack_environment(self, stack: str) -> Path:
        """The Spack environment of a stack: spack.yaml, spack.lock."""
        return self.root / "stacks" / stack / "spack"

    def kept_locks(self, system: str | None) -> Path:
        """Beside the campaigns: the environments that Spack concretised for this site, a folder for each stack."""
        return self.root.parent.parent / ".spack" / (system or "local").replace(":", "-")

    def block(self, block: str) -> Path:
        """A finished block (BlockState)."""
        return self.root / "blocks" / f"{block}.json"

    def attempts(self, block: str) -> Path:
        """Folder of all attempts at a block."""
        return self.root / "attempts" / block

    def attempt(self, block: str, number: int) -> Path:
        """Folder of one attempt: what ran, what it printed, what was not accepted."""
        return self.attempts(block) / f"{number:02d}"

    def timer_checks(self) -> list[Path]:
        """What trying the timers before each attempt has shown (isochron.schemas.run.provenance)."""
        return sorted((self.root / "attempts").glob("*/*/timers.txt"))

    def launch(self, name: str) -> Path:
        """Accepted raw file of a launch: written once, never changed. The compressed one where that is there alone."""
        plain = self.root / raw_file(name)
        packed = plain.with_name(plain.name + PACKED)
        return packed if packed.exists() and not plain.exists() else plain

    def raw(self, file: str) -> Path:
        """The raw file of which tables say that its name was `file`: where it lies now, compressed or not."""
        return self.launch(launch_of(Path(file)))

    def raw_files(self) -> list[Path]:
        """The engine's accepted raw files, in order of their launches; of a compressed one and itself the one."""
        return self._accepted(".jsonl")

    def printouts(self) -> list[Path]:
        """The same of the launches of other benchmarks."""
        return self._accepted(PRINTOUT)

    def _accepted(self, suffix: str) -> list[Path]:
        patterns = (f"*{suffix}{PACKED}", f"*{suffix}")
        found = {launch_of(path): path for pattern in patterns for path in self.launches.glob(pattern)}
        return [found[name] for name in sorted(found, key=raw_file)]

    def provenance(self, name: str) -> Path:
        """What was known of a launch and its nodes when it started (isochron.schemas.run.provenance)."""
        return self.root / "launches" / f"{name}.provenance"

    @property
    def launches(self) -> Path:
        """Folder of the accepted raw files."""
        return self.root / "launches"

    def table(self, name: str) -> Path:
        """One table of the store (isochron.schemas.run.store)."""
        return self.root / "store" / f"{name}.parquet"

    @property
    def so_far(self) -> Path:
        """Second names of the tables while the run is measured: what removes the first ones leaves the content."""
        return self.root / "store" / ".so-far"

    @property
    def store_sums(self) -> Path:
        """SHA-256 of the tables of the store."""
        return self.root / "store" / "tables.sha256"

    def kept(self, name: str) -> Path:
        """One frame that `analyse` leaves for `render`, at full precision."""
        return self.root / "analysis" / f"{name}.parquet"

    @property
    def tables(self) -> Path:
        """Folder of the CSV tables for people."""
        return self.root / "tables"

    @property
    def summary(self) -> Path:
        """The table of results: there once a run has been analysed."""
        return self.tables / "summary.csv"

    @property
    def flagged(self) -> Path:
        """Rows that should be measured again (Flagged)."""
        return self.tables / "remeasure.json"

    @property
    def figures(self) -> Path:
        """Folder of the SVG figures."""
        return self.root / "figures"

    @property
    def report(self) -> Path:
        """The report."""
        return self.root / "report" / "index.html"

    @property
    def in_words(self) -> Path:
        """What the report says first, as Markdown."""
        return self.root / "report" / "summary.md"

    @property
    def logs(self) -> Path:
        """Folder of the logs of Snakemake and ReFrame."""
        return self.root / "log"

    @property
    def outputs(self) -> Path:
        """SHA-256 of each file of store, tables, figures and report of a complete run."""
        return self.logs / "outputs.sha256"

    @property
    def over_budget(self) -> Path:
        """Why no further block is started: there while the budget is used up."""
        return self.logs / "over-budget.txt"

    @property
    def budget_lock(self) -> Path:
        """Held while a block's node hours are counted and reserved."""
        return self.logs / "budget.lock"


def run_folders(results: Path, campaign: str) -> list[Path]:
    """Run folders of a campaign, oldest first; one that was moved away and left a link is one of them."""
    parent = results / campaign
    if not parent.is_dir():
        return []
    folders = [path for path in parent.iterdir() if path.is_dir() and not path.name.startswith(("latest", "."))]
    return sorted(path for path in folders if not path.is_symlink() or len(path.readlink().parts) > 1)
