# SPDX-License-Identifier: BSD-3-Clause
"""`isochron completion`: scripts by which a shell completes the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import shtab

from isochron.cli.common import Verbs, add_verb
from isochron.common.exit_codes import Exit
from isochron.workflows.campaign_file import shipped_campaigns

EXAMPLE = """\
  isochron completion bash > ~/.local/share/bash-completion/completions/isochron
  isochron completion zsh > ~/.zfunc/_isochron         with ~/.zfunc in fpath
  source <(isochron completion bash)                   in this shell only"""

#: A campaign is a file, or the name of one that comes with Isochron.
CAMPAIGN = {"bash": "_isochron_campaign", "zsh": "_isochron_campaign", "tcsh": "f"}

#: Words of the help for what is a file or folder.
PATHS = ("DIR", "CAMPAIGN|RUN_DIR")


def add_parser(verbs: Verbs, full_parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Register the verb; `whole` builds the parser of all commands."""

    def call(arguments: argparse.Namespace) -> int:
        """Print the script of one shell."""
        print(
            shtab.complete(
                _with_campaigns(full_parser()), arguments.shell, preamble=_preamble().get(arguments.shell, "")
            )
        )
        return Exit.DONE

    verb = add_verb(verbs, "completion", "print a script that lets a shell complete these words", EXAMPLE, call)
    verb.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help=f"one of {', '.join(shtab.SUPPORTED_SHELLS)}")


def _with_campaigns(top: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser with completion of campaigns by name and of folders as files."""
    for verbs in (action for action in top._actions if isinstance(action, argparse._SubParsersAction)):
        for verb in verbs.choices.values():
            for action in verb._actions:
                if action.dest == "campaign":
                    action.complete = CAMPAIGN
                elif action.metavar in PATHS:
                    action.complete = shtab.FILE
    return top


def _preamble() -> dict[str, str]:
    names = " ".join(shipped_campaigns())
    return {
        "bash": f'_isochron_campaign() {{ compgen -W "{names}" -- "$1"; compgen -f -- "$1"; }}\n',
        "zsh": f"_isochron_campaign() {{ compadd {names}; _files }}\n",
    }
