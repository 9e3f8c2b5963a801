# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a site: what works with each stack in a small job, and what to write into which file where it does not."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.provenance import UNKNOWN
from isochron.workflows.doctor.binding import binding
from isochron.workflows.doctor.machine import Level, SiteFinding
from isochron.workflows.doctor.remedies import CAMPAIGN, NETWORK, RANDOM, remedy_for
from isochron.workflows.doctor.traps import traps
from isochron.workflows.doctor.trial import Trial, try_stack
from isochron.workflows.planning.design import find_obstacle, with_decided_design
from isochron.workflows.planning.pairs import site_problem

#: Verdicts of a node's timer that make a campaign end or its times worse.
BAD_TIMERS: dict[str, Level] = {"refused": "error", "unusable": "error", "slow": "warning", "coarse": "warning"}


def examine_site(
    campaign: Campaign, stacks: list[str], folder: Path, console: Console, *, quiet: bool
) -> Iterator[SiteFinding]:
    """Try each stack in a run of its own in `folder`, one after another. Raises KeyboardInterrupt if it was stopped."""
    for stack in stacks:
        alone = campaign.model_copy(update={"stacks": [stack]})
        try:
            problem = site_problem(alone)
            if problem:
                yield SiteFinding(stack, "plan", "error", problem, remedy_for(problem, campaign))
                continue
            if not quiet:
                console.print(f"trying {stack}")
            trial = try_stack(campaign, stack, folder, console, quiet=quiet)
        except FileError as error:
            yield SiteFinding(stack, "plan", "error", str(error), remedy_for(str(error), campaign))
            continue
        yield from judge_trial(trial, campaign)


def judge_trial(trial: Trial, campaign: Campaign) -> list[SiteFinding]:
    """Return what a trial shows, in the order in which things are needed."""
    if trial.manifest is None or not trial.reasons:
        check = "build" if trial.manifest is None else "job"
        problems = trial.problems or ["ended without a message"]
        return [SiteFinding(trial.stack, check, "error", words, remedy_for(words, campaign)) for words in problems]
    checks = (_launches, _library, _transport, _timer, _clocks, _probes, _data)
    findings = [finding for check in checks for finding in check(trial, campaign)]
    return [*findings, *binding(trial), *traps(trial)]


def _launches(trial: Trial, campaign: Campaign) -> Iterator[SiteFinding]:
    """Whether a launch alone, and if so two at once, started all ranks on the nodes that they should have."""
    first = _started(trial, campaign, "launch", trial.alone, "error")
    yield first
    if first.level != "ok":
        return
    if not trial.together:
        obstacle = find_obstacle(campaign)
        reason = obstacle.reason if obstacle is not None else "this stack cannot take turns here"
        yield SiteFinding(trial.stack, "overlapping", "unknown", f"not tried, campaigns use random order: {reason}")
        return
    needed = with_decided_design(campaign).replication.design == "turns"
    finding = _started(trial, campaign, "overlapping", trial.together, "error" if needed else "warning")
    if finding.level != "ok" and not finding.write:
        finding = SiteFinding(finding.stack, finding.check, finding.level, finding.words, RANDOM)
    yield finding


def _started(trial: Trial, campaign: Campaign, check: str, launches: list[PlannedLaunch], level: Level) -> SiteFinding:
    reasons = {launch.name: trial.reasons.get(launch.name, "was not tried") for launch in launches}
    failed = [reason for reason in reasons.values() if reason]
    if failed:
        words = failed[0] if len(failed) == 1 else f"{failed[0]} ({len(failed)} of {len(launches)} launches)"
        return SiteFinding(trial.stack, check, level, words, remedy_for(words, campaign))
    point = launches[0].point
    header = trial.files[launches[0].name].header
    hosts = ", ".join(f"{host.ranks} on {host.name}" for host in header.hosts)
    started = f"{point.processes} ranks by {_launcher(header.launch)}: {hosts}"
    words = f"{len(launches)} launches took turns on the same processors" if check == "overlapping" else started
    return SiteFinding(trial.stack, check, "ok", words)


def _launcher(launch: dict[str, str]) -> str:
    name = launch.get("launcher", "")
    return "its own launcher" if name == "stack" else name


def _accepted(trial: Trial) -> list[LaunchFile]:
    return [launch for name, launch in trial.files.items() if not trial.reasons.get(name, "was not tried")]


def _library(trial: Trial, _campaign: Campaign) -> Iterator[SiteFinding]:
    """Which library the ranks loaded; another than that of the build is refused with its launch."""
    manifest = trial.manifest
    if manifest is not None and _accepted(trial):
        files = ", ".join([f"{manifest.mpi_library} {manifest.mpi_version}", *manifest.linked_libraries[:1]])
        yield SiteFinding(trial.stack, "library", "ok", files)


def _transport(trial: Trial, _campaign: Campaign) -> Iterator[SiteFinding]:
    """What carries the messages, as the library says itself in a launch of its own."""
    if trial.transport and _accepted(trial):
        yield SiteFinding(trial.stack, "transport", "unknown" if trial.transport == UNKNOWN else "ok", trial.transport)


def _timer(trial: Trial, _campaign: Campaign) -> Iterator[SiteFinding]:
    """Whether the campaign's timer is good on all nodes."""
    timer = trial.campaign.engine.timer
    verdicts = [verdict for verdict in trial.timers if verdict.timer == timer]
    bad = sorted(
        (verdict for verdict in verdicts if verdict.verdict in BAD_TIMERS),
        key=lambda verdict: BAD_TIMERS[verdict.verdict],
    )
    for verdict in bad[:1]:
        others = {other.timer for other in trial.timers if other.verdict == "good"}
        write = f"{CAMPAIGN}: engine.timer: {' or '.join(sorted(others))}" if others else ""
        words = f"{timer} is {verdict.verdict} on {verdict.host}{f': {verdict.reason}' if verdict.reason else ''}"
        yield SiteFinding(trial.stack, "timer", BAD_TIMERS[verdict.verdict], words, write)
    if verdicts and not bad:
        worst = max(verdict.resolution_ns or 0.0 for verdict in verdicts)
        count = len({verdict.host for verdict in verdicts})
        words = f"{timer} is good on {count} node{'s' if count > 1 else ''}, resolution {worst:g} ns"
        yield SiteFinding(trial.stack, "timer", "ok", words)


def _clocks(trial: Trial, _campaign: Campaign) -> Iterator[SiteFinding]:
    """How far the clocks of the nodes are apart, how they drift, and how well the launches know it."""
    launches = _accepted(trial)
    if trial.nodes < 2 or not launches:
        return
    before = [clock for launch in launches for clock in launch.clocks if clock.phase == "before"]
    after = [clock for launch in launches for clock in launch.clocks if clock.phase == "after"]
    offset = max((abs(value) for clock in before for value in clock.offset_ns), default=None)
    drift = max((abs(value) for clock in before for value in clock.slope_ppm), default=None)
    error = max((abs(value) for clock in after for value in clock.error_ns), default=None)
    parts = [
        f"{name} at most {value:.3g} {unit}"
        for name, value, unit in (
            ("offset", None if offset is None else offset / 1e6, "ms"),
            ("drift", drift, "ppm"),
            ("error at the end", None if error is None else error / 1e3, "µs"),
        )
        if value is not None
    ]
    limited = [row for launch in launches for row in launch.measurements if row.verdict == "clock-limited"]
    words = ", ".join(parts) or "not recorded"
    if limited:
        words = f"{words}: too much for {len(limited)} measurements"
    write = f"{CAMPAIGN}: engine.clock_sync: another, and fewer seconds between synchronisations" if limited else ""
    yield SiteFinding(trial.stack, "clocks", "warning" if limited else "ok", words, write)


def _probes(trial: Trial, campaign: Campaign) -> Iterator[SiteFinding]:
    """Whether the probes of the machine's state are read."""
    for launch in _accepted(trial)[:1]:
        probes = launch.header.probes
        if probes is None or campaign.engine.probes == "off":
            return
        if not probes.read:
            yield SiteFinding(trial.stack, "probes", "warning", f"not read: {probes.why_not}")
        elif probes.network_why_not:
            words = f"the network by {probes.network_by or 'nothing'}: {probes.network_why_not}"
            yield SiteFinding(trial.stack, "probes", "warning", words)
        else:
            network = f", network by {probes.network_by}" if probes.network_by else ""
            yield SiteFinding(trial.stack, "probes", "ok", f"read{network}")


def _data(trial: Trial, _campaign: Campaign) -> Iterator[SiteFinding]:
    """Whether the library computed right results."""
    wrong = [row for launch in _accepted(trial) for row in launch.measurements if row.verdict == "failed-check"]
    for row in wrong[:1]:
        words = f"{row.operation} of {row.bytes} bytes gave wrong data: {row.reason}"
        yield SiteFinding(trial.stack, "data", "error", words, NETWORK if trial.nodes > 1 else "")
