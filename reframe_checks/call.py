# SPDX-License-Identifier: BSD-3-Clause
"""One call of ReFrame: starting it, ending it with all its processes, and reading its report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from isochron.common import orphans
from isochron.common.children import PYTHON_ENVIRONMENT, python
from isochron.common.files import FileError, lock, read_bytes, read_lines
from isochron.common.resources import shipped
from isochron.compat.messages import first_complaint
from isochron.schemas.input.site import Site

HERE = shipped("reframe_checks")
LOCAL_SETTINGS = HERE / "settings" / "local.py"
SIMULATED_SETTINGS = HERE / "settings" / "simulated.py"

#: Arguments of Python that start ReFrame.
ENTRY = ("-m", "isochron.compat.patched_reframe")

#: Rate in 1/s at which ReFrame polls a job on this machine: it notices the end of a block within a quarter of a second,
#: at a cost of microseconds per second. Constant, since ReFrame's sleeps grow to more than a second while the rate
#: falls from its maximum to its minimum. As variables, since ReFrame 4.8 refuses settings with these keys.
POLL_RATES = {"RFM_POLL_RATE_MAX": "4", "RFM_POLL_RATE_MIN": "4"}

#: Maximum characters of a reason, since ReFrame's can list every file of a folder.
LONGEST_REASON = 600


class Interrupted(BaseException):
    """A signal asked this call to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass(frozen=True)
class Result:
    """The result of the only test case of a call."""

    passed: bool
    reason: str
    case: dict[str, Any]


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for one call, after ending the orphans of an earlier one.

    SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) raise Interrupted once. If this process ends in
    any way, a guard ends the processes that it started (isochron.common.orphans).
    """

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for stop_signal in stops:
            signal.signal(stop_signal, signal.SIG_IGN)
        raise Interrupted(number)

    stops = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        stops.append(signal.SIGHUP)
    folder.mkdir(parents=True, exist_ok=True)
    held = folder / "lock"
    with held.open("w", encoding="utf-8") as stream:
        lock(stream, wait=True)
        orphans.end(str(folder))
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", orphans.__file__, str(held), str(folder)],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        before = {stop_signal: signal.signal(stop_signal, interrupt) for stop_signal in stops}
        try:
            yield
        finally:
            for stop_signal, handler in before.items():
                signal.signal(stop_signal, handler)
            orphans.end(str(folder))
            guard.kill()
            guard.wait()


def run_reframe(check: str, variables: Mapping[str, str], *, site: Site, folder: Path, work: Path) -> Result:
    """Run the check `reframe_checks/checks/<check>.py`, with stage, report and output in `folder`.

    `work` is the folder of `lock_folder`. Raises FileError if ReFrame ran no test case.
    """
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    log = folder / "reframe.out"
    with log.open("w", encoding="utf-8") as output:
        child = subprocess.Popen(
            reframe_command(check, variables, site, folder),
            cwd=folder,
            env=reframe_environment(os.environ, site, work),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = child.wait()
        except BaseException:
            orphans.end(str(work))
            child.wait()
            raise
    if code < 0 and not report.exists():
        raise FileError(f"ReFrame was ended by {signal.Signals(-code).name} (full output: {log})")
    return read_report(report, log)


def reframe_command(check: str, variables: Mapping[str, str], site: Site, folder: Path) -> list[str]:
    """Return the command line of ReFrame."""
    settings = LOCAL_SETTINGS if site.machine is None else SIMULATED_SETTINGS
    config = Path(site.reframe_config).absolute() if site.reframe_config else settings
    command = [*python(*ENTRY), "-C", str(config), "-c", str(HERE / "checks" / f"{check}.py")]
    # One folder for both, or ReFrame would copy files with their modes, which some file systems refuse.
    command += ["--stage", str(folder / "stage"), "--output", str(folder / "stage"), "--keep-stage-files"]
    command += ["--perflogdir", str(folder / "perflogs")]
    command += ["--report-file", str(folder / "report.json"), "--exec-policy", "serial", "--run"]
    if site.reframe_config and site.system:
        command += ["--system", site.system]
    if site.reframe_config and site.environment:
        command += ["-S", f"environment={site.environment}"]
    for name, value in variables.items():
        command += ["-S", f"{name}={value}"]
    return command


def reframe_environment(base: Mapping[str, str], site: Site, work: Path) -> dict[str, str]:
    """Return the environment of ReFrame; the user's ReFrame settings are used only with a site's configuration."""
    inherited = dict(base)
    if not site.reframe_config:
        inherited = {name: value for name, value in base.items() if not name.startswith("RFM_")} | POLL_RATES
    machine = {}
    if site.machine is not None:
        nodes = " ".join(site.machine.node_name(index) for index in range(site.machine.nodes))
        machine = {"ISOCHRON_MACHINE": site.machine.name, "ISOCHRON_SIMULATED_NODES": nodes}
    return (
        inherited
        | machine
        | PYTHON_ENVIRONMENT
        | {
            "RFM_ENABLE_RESULTS_STORAGE": "0",
            "RFM_COLORIZE": "0",
            orphans.MARK: str(work),
        }
    )


def read_report(report: Path, log: Path) -> Result:
    """Read the only test case of a report. Raises FileError, also if ReFrame ran nothing, which it calls passed."""
    try:
        runs = json.loads(read_bytes(report))["runs"]
        cases = [case for run in runs for case in run["testcases"]]
    except (OSError, ValueError, KeyError) as error:
        raise FileError(f"ReFrame ran nothing: {first_complaint(read_lines(log))} (full output: {log})") from error
    if len(cases) != 1:
        raise FileError(f"ReFrame ran {len(cases)} test cases instead of one (full output: {log})")
    case = cases[0]
    if case["result"] == "pass":
        return Result(True, "", case)
    reason = textwrap.shorten(str(case.get("fail_reason") or case["result"]), LONGEST_REASON, placeholder=" …")
    return Result(False, f"{reason} (phase {case.get('fail_phase')}; full output: {log})", case)
