# SPDX-License-Identifier: BSD-3-Clause
"""One call of ReFrame: starting it, ending it with all its processes, and reading its report."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from isochron.common import orphans
from isochron.common.children import PYTHON_ENVIRONMENT, python, wait_for
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

#: Files of a call: ReFrame's report and its output.
REPORT, OUTPUT = "report.json", "reframe.out"

#: Variables of a call's environment: the blocks that it runs, and how many jobs it submits at the same time.
BLOCKS_VARIABLE, JOBS_VARIABLE = "ISOCHRON_BLOCKS", "ISOCHRON_JOBS"

#: Seconds between two calls of `meanwhile`.
TELL_S = 0.5

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


def run_reframe(
    check: str,
    variables: Mapping[str, str],
    *,
    site: Site,
    folder: Path,
    work: Path,
    meanwhile: Callable[[], None] | None = None,
) -> Result:
    """Run the check `reframe_checks/checks/<check>.py`, which is one test case, and read its report.

    `work` is the folder of `lock_folder`; `meanwhile` is called from time to time. Raises FileError if ReFrame ran no
    test case.
    """
    code = call_reframe(check, variables, site=site, folder=folder, work=work, meanwhile=meanwhile)
    report = folder / REPORT
    if code < 0 and not report.exists():
        raise FileError(complaint(folder, code))
    return read_report(report, folder / OUTPUT)


def call_reframe(
    check: str,
    variables: Mapping[str, str],
    *,
    site: Site,
    folder: Path,
    work: Path,
    blocks: Sequence[str] = (),
    jobs: int = 1,
    meanwhile: Callable[[], None] | None = None,
) -> int:
    """Run a check, with stage, report and output in `folder`, and return ReFrame's exit code.

    `blocks`: those that the check runs, of which `jobs` are submitted at the same time, or one after another if that
    is one; `meanwhile` is called from time to time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / REPORT).unlink(missing_ok=True)
    with (folder / OUTPUT).open("w", encoding="utf-8") as output:
        child = subprocess.Popen(
            reframe_command(check, variables, site, folder, "serial" if jobs == 1 else "async"),
            cwd=folder,
            env=reframe_environment(os.environ, site, work)
            | {BLOCKS_VARIABLE: " ".join(blocks), JOBS_VARIABLE: str(jobs)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return _wait(child, meanwhile)
        except BaseException:
            orphans.end(str(work))
            child.wait()
            raise


def _wait(child: subprocess.Popen[bytes], meanwhile: Callable[[], None] | None) -> int:
    if meanwhile is None:
        return child.wait()
    while (code := wait_for(child, TELL_S)) is None:
        meanwhile()
    return code


def complaint(folder: Path, code: int) -> str:
    """Return why a call of ReFrame ended without a result."""
    log = folder / OUTPUT
    if code < 0:
        return f"ReFrame was ended by {signal.Signals(-code).name} (full output: {log})"
    return f"ReFrame ran nothing: {first_complaint(read_lines(log))} (full output: {log})"


def reframe_command(
    check: str, variables: Mapping[str, str], site: Site, folder: Path, policy: str = "serial"
) -> list[str]:
    """Return the command line of ReFrame."""
    settings = LOCAL_SETTINGS if site.machine is None else SIMULATED_SETTINGS
    config = Path(site.reframe_config).absolute() if site.reframe_config else settings
    command = [*python(*ENTRY), "-C", str(config), "-c", str(HERE / "checks" / f"{check}.py")]
    # One folder for both, or ReFrame would copy files with their modes, which some file systems refuse.
    command += ["--stage", str(folder / "stage"), "--output", str(folder / "stage"), "--keep-stage-files"]
    command += ["--perflogdir", str(folder / "perflogs")]
    command += ["--report-file", str(folder / REPORT), "--exec-policy", policy, "--run"]
    if site.reframe_config and site.system:
        command += ["--system", site.system]
    if site.reframe_config and site.environment:
        command += ["-S", f"environment={site.environment}"]
    for name, value in variables.items():
        command += ["-S", f"{name}={value}"]
    return command


def reframe_environment(base: Mapping[str, str], site: Site, work: Path) -> dict[str, str]:
    """Return the environment of ReFrame; the user's ReFrame settings are used only with a site's configuration."""
    if site.reframe_config:
        # Submits all jobs before it sleeps until the next query.
        inherited = {"RFM_PIPELINE_TIMEOUT": "60"} | dict(base)
    else:
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
            "RFM_REMOTE_DETECT": "0",  # else a job in each partition, which installs ReFrame there and is waited for
            orphans.MARK: str(work),
        }
    )


def read_report(report: Path, log: Path) -> Result:
    """Read the only test case of a report. Raises FileError, also if ReFrame ran nothing, which it calls passed."""
    try:
        runs = json.loads(read_bytes(report))["runs"]
        cases = [case for run in runs for case in run["testcases"]]
    except (OSError, ValueError, KeyError) as error:
        raise FileError(complaint(log.parent, 0)) from error
    if len(cases) != 1:
        raise FileError(f"ReFrame ran {len(cases)} test cases instead of one (full output: {log})")
    case = cases[0]
    return Result(case["result"] == "pass", reason_of(case, log), case)


def reason_of(case: Mapping[str, Any], log: Path) -> str:
    """Return why a test case failed; empty if it passed. `log`: ReFrame's output."""
    if case["result"] == "pass":
        return ""
    reason = textwrap.shorten(str(case.get("fail_reason") or case["result"]), LONGEST_REASON, placeholder=" …")
    return f"{reason} (phase {case.get('fail_phase')}; full output: {log})"
