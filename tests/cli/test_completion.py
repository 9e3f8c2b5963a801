# SPDX-License-Identifier: BSD-3-Clause
"""A shell completes verbs, options and campaigns."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.spack_envs.declarations import available_stacks
from isochron.workflows.campaign_file import shipped_campaigns


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_the_script_names_verbs_and_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("rehearse", "--until", "--results"))


def completed(words: list[str], script: str) -> set[str]:
    """What bash proposes for the last of the words."""
    ask = f"""{script}
COMP_WORDS=(isochron {" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words)}
"$(complete -p isochron | sed 's/.*-F \\([^ ]*\\).*/\\1/')" isochron '{words[-1]}' isochron
printf '%s\\n' "${{COMPREPLY[@]}}\""""
    return set(subprocess.run(["bash", "-c", ask], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.process
def test_bash_proposes_what_fits(capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    script = capsys.readouterr().out
    assert completed(["re"], script) == {"rehearse", "report", "reproduce"}
    assert set(shipped_campaigns()) <= completed(["plan", ""], script)
    assert completed(["run", "--un"], script) == {"--until"}


@pytest.mark.process
def test_bash_proposes_campaigns_and_runs_that_were_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no name that a shell would execute."""
    monkeypatch.chdir(tmp_path)
    for name in ("results/mine/2026a", "results/mine/2026b", "other/theirs/2026c", "results/$(touch made)/2026d"):
        Path(name).mkdir(parents=True)
        Path(name, "campaign.json").touch()
    main(["completion", "bash"])
    script = capsys.readouterr().out
    assert {"mine", *shipped_campaigns()} <= completed(["plan", ""], script)
    assert completed(["run", "mi"], script) == {"mine"}
    assert completed(["history", ""], script) == {"mine"}
    assert completed(["history", "--results", "other", ""], script) == {"theirs"}
    assert {"mine", "results"} <= completed(["report", ""], script)
    assert completed(["report", "results/mine/2026"], script) == {"results/mine/2026a", "results/mine/2026b"}
    assert not Path("made").exists()


@pytest.mark.process
def test_bash_proposes_stacks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    known = {"mpich": ["4.0.3"]}
    monkeypatch.setattr("isochron.spack_envs.wheel_index.known", lambda family: known.get(family, []))
    main(["completion", "bash"])
    script = capsys.readouterr().out
    names = {*available_stacks(), "mpich@4.0.3"}
    assert completed(["run", "demo", "--stacks", ""], script) == names
    assert completed(["run", "demo", "--stacks", "openmpi-5.0,mpich"], script) == {
        f"openmpi-5.0,{name}" for name in names if name.startswith("mpich")
    }
    assert (
        completed(["profile", "--stack", "smpi-i"], script)
        == completed(["certify", "smpi-i"], script)
        == {"smpi-intel"}
    )
