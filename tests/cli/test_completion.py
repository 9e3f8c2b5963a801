# SPDX-License-Identifier: BSD-3-Clause
"""A shell completes verbs, options and campaigns."""

from __future__ import annotations

import subprocess

import pytest

from isochron.cli.main import main
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
    assert completed(["re"], script) == {"rehearse", "report"}
    assert set(shipped_campaigns()) <= completed(["plan", ""], script)
    assert completed(["run", "--un"], script) == {"--until"}
