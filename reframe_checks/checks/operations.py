# SPDX-License-Identifier: BSD-3-Clause
# ReFrame has no types:
# mypy: disable-error-code="misc, untyped-decorator, attr-defined"
"""The ReFrame checks of a site's own regression suite: one for each group of operations, without a campaign.

`reframe -C site.py -c "$(isochron checks)" -r` runs them in the site's partitions and programming environments. The
`reframe` of a site may belong to another Python than Isochron, so this file needs nothing but ReFrame; values come from
the command `isochron`, which is started as a process.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import fixture, run_after, run_before, sanity_function, variable
from reframe.core.exceptions import PerformanceError, ReframeError, SanityError
from reframe.core.logging import getlogger
from reframe.core.meta import make_test

ENGINE = Path(__file__).resolve().parents[1] / "engine"
#: The operations of each group, in the engine's order; those that its tests alone use are hidden.
GROUPS: dict[str, list[str]] = {}
for _operation in json.loads((ENGINE / "description.json").read_text(encoding="utf-8"))["operations"]:
    if not _operation["hidden"]:
        GROUPS.setdefault(_operation["group"], []).append(_operation["name"])

OPERATIONS = {name for names in GROUPS.values() for name in names}
#: Words of a reference's key in the file of `isochron export --reframe`.
EXPORTED = ("stack", "operation", "bytes", "processes x per node", "placement")

#: Fewest launches: the range of six is an interval of 96.9 % of the median, that of five one of 93.8 % only.
FEWEST_LAUNCHES = 6


class IsochronEngine(rfm.CompileOnlyRegressionTest):
    """The measurement engine, built in a programming environment of the site."""

    descr = "the measurement engine of Isochron"
    build_system = "Make"
    sourcesdir = None

    @run_before("compile")
    def build_outside_the_sources(self) -> None:
        """Compile with the first compiler that knows mpi.h: that of the environment, else `mpicc`."""
        compilers = dict.fromkeys([self.current_environ.cc, "mpicc"])
        self.prebuild_cmds = [
            "unset MAKEFLAGS MAKELEVEL MFLAGS",
            "echo '#include <mpi.h>' >has_mpi.c",
            f"for compiler in {shlex.join(filter(None, compilers))}; do $compiler -c has_mpi.c && break; done",
        ]
        self.build_system.cc = "$compiler"
        self.build_system.flags_from_environ = False
        self.build_system.max_concurrency = 2
        self.build_system.options = [f"-C {shlex.quote(str(ENGINE))}", f"BUILD={shlex.quote(self.stagedir)}/build"]

    @sanity_function
    def is_built(self) -> object:
        """Check that the engine exists."""
        return sn.assert_true(
            sn.path_isfile("build/isochron-engine"),
            f"no engine was built: does {self.current_environ.name} have a compiler with MPI? ({self.build_stderr})",
        )


class Operations(rfm.RunOnlyRegressionTest):
    """The operations of a group: median over launches in µs, its interval and RSE, for each operation and size."""

    group = variable(str)
    #: Message sizes, separated by commas, in bytes or with KiB, MiB.
    sizes = variable(str, value="8,1KiB,64KiB")
    #: Launches in a job, each with its own processes; statistics are over launches.
    launches = variable(int, value=FEWEST_LAUNCHES)
    #: JSON file of references, and the stack whose references are taken from one of `isochron export --reframe`.
    references = variable(str, value="")
    stack = variable(str, value="")

    engine = fixture(IsochronEngine, scope="environment")
    valid_systems = ["*"]  # noqa: RUF012
    valid_prog_environs = ["*"]  # noqa: RUF012
    num_tasks = 4
    num_tasks_per_node = 2
    exclusive_access = True
    time_limit = "20m"
    keep_files = ["launch-*.jsonl"]  # noqa: RUF012
    tags = {"isochron", "mpi", "performance"}  # noqa: RUF012
    maintainers = ["Isochron"]  # noqa: RUF012

    @run_after("init")
    def describe(self) -> None:
        """State the group, also as a tag."""
        self.descr = f"{self.group} operations of MPI: {', '.join(GROUPS[self.group])}"
        self.tags |= {self.group}

    @run_after("setup")
    def count_nodes(self) -> None:
        """Take one node of a local partition, and refuse what cannot be measured."""
        if self.current_partition.scheduler.is_local:
            self.num_tasks_per_node = self.num_tasks
        if self.num_tasks_per_node is None or self.num_tasks % self.num_tasks_per_node:
            raise ReframeError(
                f"num_tasks: {self.num_tasks} is no multiple of num_tasks_per_node: {self.num_tasks_per_node}"
            )
        if self.launches < FEWEST_LAUNCHES:
            raise ReframeError(f"launches: {self.launches}; the interval of a median needs {FEWEST_LAUNCHES} at least")
        self.num_nodes_used = self.num_tasks // self.num_tasks_per_node

    @run_before("run")
    def launch_repeatedly(self) -> None:
        """Start the engine several times in one job, each time by the launcher of the partition."""
        self.executable = str(Path(self.engine.stagedir) / "build" / "isochron-engine")
        *earlier, last = [[*self._options(number), *self._header(number)] for number in self._numbers]
        # ReFrame tells the job these only after this; launchers have them in their commands.
        for name in ("num_tasks", "num_tasks_per_node", "num_cpus_per_task"):
            setattr(self.job, name, getattr(self, name))
        launcher = self.job.launcher.run_command(self.job)
        self.prerun_cmds += ["rm -f launch-*.jsonl"]
        self.prerun_cmds += [f"{launcher} {shlex.quote(self.executable)} {' '.join(words)}" for words in earlier]
        self.executable_opts = last

    @property
    def _numbers(self) -> range:
        return range(1, self.launches + 1)

    def _options(self, number: int) -> list[str]:
        return [
            "--operations", self.group, "--sizes", self.sizes, "--check",
            "--expect-ranks", str(self.num_tasks), "--expect-hosts", str(self.num_nodes_used),
            "--output", f"launch-{number}.jsonl", *self._threads, *self.executable_opts,
        ]  # fmt: skip

    @property
    def _threads(self) -> list[str]:
        """Return the option without which operations of threads are not measured."""
        needed = self.group == "threads" and "--threads" not in self.executable_opts
        return ["--threads", str(self.num_cpus_per_task or 2)] if needed else []

    def _header(self, number: int) -> list[str]:
        """Return what the launch is, for the store; `--append-header` is the last option."""
        facts = {
            "name": f"launch-{number}",
            "run_id": self.unique_name,
            "campaign": "checks",
            "stack": self.current_environ.name,
            "system": self.current_system.name,
            "partition": self.current_partition.name,
            "processes_per_node": self.num_tasks_per_node,
            "nodes": self.num_nodes_used,
            "placement": "packed",
            "block": 1,
            "launch": number,
            "attempt": 1,
            "oversubscribed": "false",
            "mpi_library": self.current_environ.name,
            "mpi_version": "unknown",
            "engine_sha256": "unknown",
        }
        return ["--append-header", *(shlex.quote(f"{key}={value}") for key, value in facts.items())]

    @sanity_function
    def launches_are_sound(self) -> object:
        """Check every launch: whole file, ranks, hosts, every operation and size, correct data."""
        files = [Path(self.stagedir) / f"launch-{number}.jsonl" for number in self._numbers]
        missing = [path.name for path in files if not path.is_file()]
        if missing:
            lines = (Path(self.stagedir) / str(self.stderr)).read_text(encoding="utf-8", errors="replace").splitlines()
            said = [line for line in lines if line.startswith("isochron-engine:")] or [line for line in lines if line]
            raise SanityError(f"{', '.join(missing)}: not written: {(said or ['no message'])[0]} ({self.stderr})")
        document = _judge(files)
        if document["problems"]:
            raise SanityError("; ".join(document["problems"]))
        self.measured = document["results"]
        return sn.assert_true(True)

    @run_before("performance")
    def state_values(self) -> None:
        """Make a variable of each value, and of the ends of its interval and its RSE."""
        if self.is_dry_run():
            return
        self.results = {_variable(row): row for row in self.measured}
        for name, row in self.results.items():
            if row["median_us"] is None:
                continue
            numbers = {
                "": (row["median_us"], "us"),
                "_low": (row["median_low_us"], "us"),
                "_high": (row["median_high_us"], "us"),
                "_rse": (None if row["rse"] is None else 100 * row["rse"], "%"),
            }
            for suffix, (value, unit) in numbers.items():
                if value is None:
                    continue
                function = sn.make_performance_function(sn.defer(float(f"{value:.6g}")), unit)
                self.perf_variables[f"{name}{suffix}"] = function

    @run_before("performance")
    def take_references(self) -> None:
        """Set the references of the values without bounds: `judge_intervals` judges them instead of ReFrame."""
        if self.is_dry_run():
            return
        self.bounds = self._read_references(Path(self.references)) if self.references else {}
        relaxed = {name: (reference[0], None, None, "us") for name, reference in self.bounds.items()}
        self.reference = {self.current_partition.fullname: relaxed}

    def _read_references(self, file: Path) -> dict[str, Any]:
        """Return the references of what was measured, by variable. Raises PerformanceError."""
        try:
            systems = json.loads(file.read_text(encoding="utf-8"))
            scopes = ("*", self.current_system.name, self.current_partition.fullname)
            lines = {key: reference for scope in scopes for key, reference in systems.get(scope, {}).items()}
        except (OSError, ValueError, AttributeError) as error:
            raise PerformanceError(f"references: {file}: {error}") from None
        shape = f"{self.num_tasks}x{self.num_tasks_per_node}"
        found, exported = {}, {}
        for key, reference in lines.items():
            if not _is_reference(reference):
                raise PerformanceError(
                    f"references: {file}: {key}: {reference!r}; it must be [us, lower, upper] or [us, lower, upper, "
                    '"us"], bounds relative to the value, null for none'
                )
            words = key.split("/")
            if len(words) == len(EXPORTED):
                exported[words[0], words[3]] = True
                if [words[0], *words[3:]] != [self.stack or self.current_environ.name, shape, "packed"]:
                    continue
                name = _variable({"operation": words[1], "bytes": words[2]})
            else:
                name = key
            if name.rpartition("_")[0] not in OPERATIONS and name not in OPERATIONS:
                raise PerformanceError(f"references: {file}: {key}: no variable is called so; one is bcast_8")
            found[name] = reference
        if not found:
            has = ", ".join(f"{stack} at {shape}" for stack, shape in sorted(exported))
            raise PerformanceError(
                f"references: {file}: nothing of {self.stack or self.current_environ.name} at {shape} processes on "
                f"{self.current_partition.fullname}; it has {has or 'nothing of this partition'}"
            )
        return {name: reference for name, reference in found.items() if name in self.results}

    @run_after("performance")
    def judge_intervals(self) -> None:
        """Fail for a reference whose permitted range the interval excludes.

        The median of a few launches is itself uncertain: a value beyond a bound shows nothing if its interval reaches
        into what is permitted. A check fails where the launches refute that the median is in the range; if it is
        exactly at a bound, six launches do so with a probability of 1/64. With fewer launches that have a time nothing
        is judged, which is a warning; if none has one, that is a failure, since something should have been measured.
        """
        if self.is_dry_run():
            return
        violated = []
        for name, reference in self.bounds.items():
            row = self.results[name]
            if row["median_us"] is None:
                violated.append(f"{name}: no launch has a time: {row['reason']}")
                continue
            if row["launches_used"] < FEWEST_LAUNCHES:
                getlogger().warning(
                    f"{name}: only {row['launches_used']} launches have a time; the reference needs {FEWEST_LAUNCHES}"
                )
                continue
            values = self.perfvalues[f"{self.current_partition.fullname}:{name}"]
            low, high = _permitted(*reference[:3])
            values[2:4] = reference[1:3]  # what is logged
            if row["median_low_us"] > high or row["median_high_us"] < low:
                values[-1] = "fail"
                violated.append(
                    f"{name}={row['median_us']:.6g} us [{row['median_low_us']:.6g}, {row['median_high_us']:.6g}] in "
                    f"{row['launches_used']} launches, expected {reference[0]:g} (l={low:.6g}, u={high:.6g})"
                )
        if violated:
            raise PerformanceError("reference(s) not met by an interval: " + "; ".join(violated))


# A class for each, since ReFrame has one log of values for each class, with columns of its own.
for _group in GROUPS:
    _name = "Isochron" + _group.title().replace("-", "")
    rfm.simple_test(make_test(_name, (Operations,), {"group": _group}, module=__name__))


#: Python 3.9, to which a site's ReFrame may belong, takes no `int | float` here.
NUMBER = (int, float)


def _is_reference(given: object) -> bool:
    """Tell whether this is [value, lower, upper] or [value, lower, upper, "us"]."""
    return (
        isinstance(given, list)
        and len(given) in (3, 4)
        and isinstance(given[0], NUMBER)
        and all(bound is None or isinstance(bound, NUMBER) for bound in given[1:3])
        and given[3:] in ([], ["us"])
    )


def _permitted(value: float, lower: float | None, upper: float | None) -> tuple[float, float]:
    """Return the bounds in µs. Those of ReFrame are relative, of a reference of 0 absolute; None: there is none."""
    scale = abs(value) or 1.0
    return (
        -float("inf") if lower is None else value + lower * scale,
        float("inf") if upper is None else value + upper * scale,
    )


def _variable(row: dict[str, Any]) -> str:
    """Return `bcast_8`, or `barrier`, which has no size."""
    return f"{row['operation']}_{row['bytes']}" if int(row["bytes"]) else row["operation"]


def _judge(files: list[Path]) -> dict[str, Any]:
    """Return what `isochron checks FILE…` prints. Raises SanityError."""
    beside = [Path(__file__).resolve(), Path(sys.executable).absolute()]
    commands = [parent / "bin" / "isochron" for path in beside for parent in path.parents]
    command = next((str(path) for path in commands if os.access(path, os.X_OK)), None) or shutil.which("isochron")
    if command is None:
        raise SanityError("the command `isochron` was not found; add its folder to PATH")
    words = [command, "checks", *map(str, files)]
    other_python = ("PYTHONPATH", "PYTHONHOME")  # of the site's ReFrame
    environment = {name: value for name, value in os.environ.items() if name not in other_python}
    done = subprocess.run(words, env=environment, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SanityError(f"{command} checks: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document
