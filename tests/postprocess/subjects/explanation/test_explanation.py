# SPDX-License-Identifier: BSD-3-Clause
"""From explanation.json to the finding and the section of the report."""

from __future__ import annotations

from typing import Any, cast

import pytest

from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.numbers import size
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.explanation.advice import advice_sentence, advice_view, load_advice
from isochron.postprocess.subjects.explanation.finding import explained, reason_of, reasons_sentence
from isochron.postprocess.subjects.explanation.section import build
from isochron.schemas.run.advice import Advice, AdvisedCase, AdvisedSetting, Confirmation, LeftOut
from isochron.schemas.run.explanation import (
    ChangedSetting,
    Effect,
    ExplainedCase,
    Explanation,
    Explanations,
    Remedy,
    Step,
    SystemCall,
)
from tests.postprocess.reported import report

CAUSE = ChangedSetting(setting="X_SIZE", variable="X_SIZE", old="16384", new="8192", meaning="<b>bytes</b>")
NO_TABLES = cast(Analysis, None)  # it needs none
STEP = Step(settings=["X_SIZE"], effect=Effect(share=0.5, low=-1.0, high=1.0))
EFFECT = Effect(share=0.92, low=0.85, high=0.97)


def explanation(inputs: RunInputs) -> Explanation:
    """Two cases explained, one by no setting but with a remedy, one not shown."""
    old, new = inputs.campaign.stacks[:2]
    remedy = Remedy(settings={"X_ALG": "ring"}, share=EFFECT, costs=["bcast 8 B (1.2 times)"])
    known = {"verdict": "explained", "causes": [CAUSE], "all_settings": EFFECT, "forward": EFFECT, "backward": EFFECT}
    return Explanation(
        old=old, new=new, old_library="a", new_library="b", processes=4, processes_per_node=2, placement="packed",
        tried=[CAUSE], refused={}, only_old=[], only_new=["Y"], blocks=12, experiments=5, launches=120,
        cases=[
            ExplainedCase(operation="allreduce", bytes=8, ratio=1.35, steps=[STEP, STEP], **known),
            ExplainedCase(operation="allreduce", bytes=4096, ratio=1.5, **known),
            ExplainedCase(operation="bcast", bytes=64, ratio=2.0, verdict="no-setting", all_settings=EFFECT,
                          remedy=remedy),
            ExplainedCase(operation="barrier", bytes=0, ratio=None, verdict="not-shown"),
        ],
    )  # fmt: skip


def test_nothing_is_said_if_nothing_was_asked(small: RunInputs) -> None:
    assert explained(small, NO_TABLES) == []
    assert build(Source(small, NO_TABLES, [], [])) is None


def test_the_reasons_of_losses_are_counted(small: RunInputs) -> None:
    pair = explanation(small)
    both = f"Of 3 losses whose reason was asked, 2 are by {CAUSE} and 1 is by no setting that differs."
    assert reasons_sentence(pair) == both, "what is not shown is no loss"
    first, second, third, _ = pair.cases
    asked = {
        f"All 2 losses whose reason was asked are by {CAUSE}.": [first, second],
        "The loss whose reason was asked is by no setting that differs.": [third],
        "": [first.model_copy(update={"ratio": 0.5})],
    }
    for sentence, cases in asked.items():
        assert reasons_sentence(pair.model_copy(update={"cases": cases})) == sentence


def test_reasons_and_remedies_are_said(small: RunInputs) -> None:
    pair = explanation(small)
    Explanations(pairs=[pair]).save(small.layout.explanation)
    [finding] = explained(small, NO_TABLES)
    assert finding.text == (
        f"Why {pair.new} differs from {pair.old}: allreduce {size(8)} and allreduce {size(4096)} by X_SIZE: "
        f"16384 → 8192; bcast {size(64)} by no setting that differs; barrier not found to differ again. For bcast "
        f"{size(64)}, X_ALG=ring gives back 92 % [85; 97], but slower with it: bcast 8 B (1.2 times)."
    )
    assert finding.numbers == {"cases": 4, "explained": 2, "settings_tried": 1}
    assert finding.details[0] == (
        f"allreduce {size(8)}: explained to 92 % [85; 97] by X_SIZE: 16384 → 8192 (in the old library 92 % [85; 97])"
    )
    view = build(Source(small, NO_TABLES, [], []))
    assert view is not None
    assert view[0].ends == (25, 75)
    step = view[0].cases[0].steps[0]
    assert (step.settings, step.low, step.at, step.high) == ("X_SIZE", 0, 50, 75), "cut at the end of the axis"
    bcast = view[0].cases[2]
    assert (bcast.case, bcast.reason, bcast.forward) == (f"bcast {size(64)}", "no setting that differs", numbers.NONE)


def test_system_calls_that_differ_are_said(small: RunInputs) -> None:
    pair = explanation(small)
    calls = [SystemCall(function="sched_yield", old=0.01, new=126.4), SystemCall(function="poll", old=3.0, new=1.0)]
    case = pair.cases[2].model_copy(update={"system_calls": calls, "remedy": None})
    pair = pair.model_copy(update={"cases": [case]})
    Explanations(pairs=[pair]).save(small.layout.explanation)
    more = "by no setting that differs, with more calls of sched_yield"
    assert reasons_sentence(pair) == f"The loss whose reason was asked is {more}."
    [finding] = explained(small, NO_TABLES)
    counted = "called in each: sched_yield 0.01 → 126 times, poll 3 → 1 times"
    assert more in finding.text and finding.details[0].endswith(f"of it; {counted}")
    [view] = build(Source(small, NO_TABLES, [], [])) or []
    assert view.cases[0].reason == f"no setting that differs; {counted}"


def advice(inputs: RunInputs, **changes: Any) -> Advice:
    """One setting that gives two losses back, at the price of a gain."""
    old, new = inputs.campaign.stacks[:2]
    gone, gain = (
        AdvisedCase(operation=operation, bytes=8, ratio=1.01, low=0.99, high=1.03)
        for operation in ("allreduce", "bcast")
    )
    confirmation = {
        "run": "advise/1", "began": "2026-11-27T12:00:00Z", "screened": 0, "measured": 3, "cured": [gone, gone],
        "slower": [], "undecided": [], "worse": [], "given_up": [gain],
    }  # fmt: skip
    return Advice(
        old=old,
        new=new,
        settings=[AdvisedSetting(variables={"X_SIZE": "16384"}, cases=["allreduce 8 B"])],
        left_out=[LeftOut(variables={"X_B": "<1>"}, reason="slower with it: bcast 8 B")],
        confirmations=[Confirmation(**{**confirmation, **changes})],
        files={"shell": "settings/settings.sh"},
    )


def test_what_to_set_is_said(small: RunInputs) -> None:
    each = advice(small)
    assert each.holds and load_advice(small, each.old, each.new) is None
    each.save(small.layout.advice)
    assert load_advice(small, each.old, each.new) == each and load_advice(small, each.new, each.old) is None
    assert advice_sentence(each) == (
        "With X_SIZE=16384 it is slower in none of 3 cases that were measured in fresh blocks: all 2 losses are given "
        "back; 1 gain is given up."
    )
    twice = each.model_copy(update={"confirmations": each.confirmations * 2})
    assert "fresh blocks, confirmed 2 times: all" in advice_sentence(twice)


def test_what_remains_is_said(small: RunInputs) -> None:
    [gone, _] = advice(small).confirmations[0].cured
    each = advice(small, cured=[gone], slower=[gone], undecided=[gone], given_up=[])
    assert not each.holds
    assert advice_sentence(each) == (
        "With X_SIZE=16384 1 of 3 losses are given back in fresh blocks, and it is slower in 1 case, 1 is undecided."
    )
    view = advice_view(each)
    assert view.confirmations[0].cured == "1 of 3" and len(view.remaining) == 2
    assert view.left_out == ["X_B=<1>: slower with it: bcast 8 B"]
    nothing = each.model_copy(update={"settings": []})
    assert advice_sentence(nothing).startswith("No setting is confirmed to give a loss")


@pytest.mark.heavy
def test_the_page_has_them(small: RunInputs) -> None:
    Explanations(pairs=[explanation(small)]).save(small.layout.explanation)
    advice(small).save(small.layout.advice)
    report(small.layout.root)
    page = small.layout.report.read_text()
    assert 'id="explanation"' in page
    assert "&lt;b&gt;bytes&lt;/b&gt;" in page
    assert page.count('<th scope="row">X_SIZE</th><td class="plot">') == 2 and "How it was found" in page
    assert "What to set" in page and "X_SIZE=16384\n" in page and "X_B=&lt;1&gt;: slower with it" in page
    assert 'href="../settings/settings.sh"' in page
    assert "X_SIZE: 16384 → 8192" in page


def test_the_reason_of_a_finding_is_that_of_its_cases(small: RunInputs) -> None:
    pair = explanation(small)
    assert reason_of(small, pair.old, pair.new, {("allreduce", 8)}) == ""
    Explanations(pairs=[pair]).save(small.layout.explanation)
    explained_reason = "by X_SIZE: 16384 → 8192"
    assert reason_of(small, pair.new, pair.old, {("allreduce", 8), ("allreduce", 4096)}) == explained_reason
    some = {("allreduce", 8), ("allreduce", 1024)}
    assert reason_of(small, pair.new, pair.old, some) == f"{size(8)} {explained_reason}", "the other was not explained"
    assert reason_of(small, pair.old, pair.new, {("bcast", 64)}) == (
        "by no setting that differs; X_ALG=ring gives back 92 % [85; 97], but slower with it: bcast 8 B (1.2 times) "
        f"at {size(64)}"
    )
    other = pair.cases[2].model_copy(update={"operation": "allreduce", "remedy": None})
    Explanations(pairs=[pair.model_copy(update={"cases": [pair.cases[0], other]})]).save(small.layout.explanation)
    assert reason_of(small, pair.old, pair.new, {("allreduce", 8), ("allreduce", 64)}) == (
        f"{size(8)} by X_SIZE: 16384 → 8192; {size(64)} by no setting that differs"
    )
    assert reason_of(small, pair.old, "another", {("bcast", 64)}) == ""
