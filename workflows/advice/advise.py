# SPDX-License-Identifier: BSD-3-Clause
"""From explained losses to advice: settings are tried until those that are left bring no new loss, and are written."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from isochron.common.copies import is_there
from isochron.common.files import FileError
from isochron.schemas.run.advice import Advice, AdvisedSetting, Confirmation, LeftOut
from isochron.schemas.run.explanation import Explanations
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.spack_envs.declarations import family_in
from isochron.workflows.advice.choice import Choice, choose_settings, slower_with_it
from isochron.workflows.advice.judgement import Judged, Names, judge
from isochron.workflows.advice.trial import Explained, Prepared, Trial, Trials, names_of
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.explanation.setting_files import prove, write_files
from isochron.workflows.runs import comparison_of, point_of, read_state


def explained_by(run: RunLayout, pair: tuple[str, str] | None) -> Explained:
    """Return a run with its explanation.

    `pair`: which of several pairs, else the only one that has losses. Raises FileError if there is nothing to give
    back.
    """
    if not is_there(run.explanation):
        raise FileError(f"{run.root}: its differences are not explained; call `isochron explain {run.root}` first")
    pairs = Explanations.load(run.explanation).pairs
    if pair is not None:
        pairs = [one for one in pairs if (one.old, one.new) == pair]
        if not pairs:
            raise FileError(f"{run.explanation}: has nothing on {pair[0]} and {pair[1]}")
    losing = [one for one in pairs if any(case.is_lost for case in one.cases)] or pairs[:1]
    if len(losing) > 1:
        named = " or ".join(f"{one.old},{one.new}" for one in losing)
        raise FileError(f"{run.explanation}: several pairs of versions lose: choose one by --pair ({named})")
    [explanation] = losing
    rows = [
        row
        for row in comparison_of(run)
        if (row["baseline"], row["candidate"], row["verdict"]) == (explanation.old, explanation.new, "slower")
        and point_of(row) == explanation.point
    ]
    rows.sort(key=lambda row: float(row["ratio_low"]), reverse=True)
    return Explained(run, explanation, [(row["operation"], int(row["bytes"])) for row in rows])


def choice_of(explained: Explained, again: bool) -> Choice:
    """Return what to try: if an earlier call has advised settings and they are tried again, those alone."""
    run = explained.run
    if again and is_there(run.advice):
        earlier = Advice.load(run.advice)
        if earlier.settings:
            return Choice(earlier.settings, earlier.left_out)
    return choose_settings(explained.explanation)


def advise(
    explained: Explained, choice: Choice, prepared: Prepared, trials: Trials, say: Callable[[str], None]
) -> Advice:
    """Try settings, all together, until those that are left bring no new loss. Raises UnfinishedError, FileError.

    `prepared`: the first trial. Those that bring one when they are alone are left out, and the rest is tried again; if
    there are no minutes for that, the best of them is advised as that trial has measured it alone.
    The advice is written into the explained run; settings that an earlier call has advised keep its confirmations.
    """
    settings, left_out = list(choice.settings), list(choice.left_out)

    def leave_out(some: Iterable[AdvisedSetting], reason: str) -> None:
        for one in some:
            left_out.append(LeftOut(variables=one.variables, reason=reason))
            say(f"left out: {left_out[-1]}")
            settings.remove(one)

    while True:
        names = names_of(explained.explanation, settings)
        trial = prepared.measure()
        judged = judge(trial.rows, explained.lost, names)
        if not judged.worse:
            break
        alone = dict(zip(names.alone, settings, strict=False))
        leave_out([settings[number] for number in sorted(judged.harmful)], slower_with_it(_worst_first(judged)))
        if not settings:
            break
        if not trials.fits_another:
            shown = {
                name: judge(trial.rows, explained.lost, Names(names.old, names.new, name))
                for name, one in alone.items()
                if one in settings
            }
            for name, one in shown.items():
                if one.worse:
                    leave_out([alone[name]], slower_with_it(_worst_first(one)))
            best = min(shown, key=lambda name: (len(shown[name].worse) > 0, -len(shown[name].cured)))
            others = [one for one in settings if one != alone[best]]
            leave_out(others, "there were no minutes to try it again without others")
            judged = shown[best]
            break
        prepared = trials.prepare(names_of(explained.explanation, settings), settings)
    confirmation = _confirmation(trial, judged)
    if not judged.cured:
        leave_out(list(settings), "it gives no loss back in fresh blocks")
    advice = Advice(
        old=explained.explanation.old,
        new=explained.explanation.new,
        settings=settings,
        left_out=left_out,
        confirmations=[*_earlier(explained.run, settings, confirmation), confirmation],
    )
    return _written(advice, explained.run, trial)


def _worst_first(judged: Judged) -> list[tuple[str, int]]:
    """Return the cases with a new loss, the largest first."""
    return [(one.operation, one.bytes) for one in sorted(judged.worse, key=lambda one: one.low, reverse=True)]


def _confirmation(trial: Trial, judged: Judged) -> Confirmation:
    run, state = trial.run, read_state(trial.run)
    return Confirmation(
        run=str(run.root.relative_to(run.root.parent.parent)),
        began=state.created_at if state is not None else "",
        screened=trial.screened,
        measured=judged.measured,
        cured=judged.cured,
        slower=judged.slower,
        undecided=judged.undecided,
        worse=judged.worse,
        given_up=judged.given_up,
        left=judged.left,
    )


def _earlier(run: RunLayout, settings: Sequence[AdvisedSetting], now: Confirmation) -> list[Confirmation]:
    """Return what earlier trials of the same settings have shown."""
    if not is_there(run.advice):
        return []
    advice = Advice.load(run.advice)
    same = [one.variables for one in advice.settings] == [one.variables for one in settings]
    return [one for one in advice.confirmations if one.run != now.run] if same else []


def _written(advice: Advice, run: RunLayout, trial: Trial) -> Advice:
    """Write the files of the settings into the run, prove them with the library, and return the advice with them."""
    if advice.settings:
        manifest = Manifest.load(trial.run.manifest(advice.new))
        family = family_in(load_campaign(trial.run.campaign), advice.new)
        files = write_files(run.settings, advice.variables, family)
        prove(files, advice.variables, family, manifest)
        advice = advice.model_copy(
            update={"files": {kind: str(Path("settings") / file.name) for kind, file in files.items()}}
        )
    advice.save(run.advice)
    return advice
