# SPDX-License-Identifier: BSD-3-Clause
"""`isochron completion`: scripts by which a shell completes the commands."""

import argparse
from collections.abc import Mapping
from typing import Any

import shtab

from isochron.cli.common import Verbs, add_verb
from isochron.common.exit_codes import Exit
from isochron.spack_envs import wheel_index
from isochron.spack_envs.declarations import available_stacks
from isochron.spack_envs.families import families
from isochron.workflows.campaign_file import shipped_campaigns

EXAMPLE = """\
  isochron completion bash > ~/.local/share/bash-completion/completions/isochron
  isochron completion zsh > ~/.zfunc/_isochron         with ~/.zfunc in fpath
  source <(isochron completion bash)                   in this shell only"""

#: Functions of the scripts: a campaign by file or name, a run by its folder or its campaign, a campaign that has runs,
#: stacks separated by commas.
CAMPAIGN, RUN, MEASURED, STACKS = (
    {"bash": f"_isochron_{kind}", "zsh": f"_isochron_{kind}", "tcsh": "f"}
    for kind in ("campaign", "run", "measured", "stacks")
)

#: Function of an argument, by its metavar.
BY_METAVAR: dict[str, Mapping[str, Any]] = {
    "CAMPAIGN": CAMPAIGN,
    "CAMPAIGN|RUN_DIR": RUN,
    "STACK": STACKS,
    "DIR": shtab.FILE,
}

#: Folders with characters that a shell would interpret are not proposed.
BASH = r"""
_isochron_fitting() { # of the lines that are read, those that begin with $1
  local line
  while IFS= read -r line; do
    [[ "$line" == "$1"* && "$line" != *[!A-Za-z0-9._/@*,+-]* ]] && printf '%s\n' "$line"
  done
}
_isochron_run_folders() {
  local index folder=results
  for index in "${!COMP_WORDS[@]}"; do
    [[ "${COMP_WORDS[index]}" == --results && $((index + 1)) -lt "$COMP_CWORD" ]] && folder="${COMP_WORDS[index + 1]}"
  done
  for folder in "$folder"/*/*/campaign.json; do
    [[ -e "$folder" ]] && printf '%s\n' "${folder%/campaign.json}"
  done
}
_isochron_measured() {
  local folder
  _isochron_run_folders | while IFS= read -r folder; do folder="${folder%/*}"; printf '%s\n' "${folder##*/}"; done |
    sort -u | _isochron_fitting "$1"
}
_isochron_campaign() { compgen -W "{campaigns}" -- "$1"; _isochron_measured "$1"; compgen -f -- "$1"; }
_isochron_run() {
  _isochron_measured "$1"
  [[ -n "$1" ]] && _isochron_run_folders | _isochron_fitting "$1"
  compgen -f -- "$1"
}
_isochron_stacks() {
  local before="" word
  [[ "$1" == *,* ]] && before="${1%,*},"
  for word in {stacks}; do printf '%s\n' "$before$word"; done | _isochron_fitting "$1"
}
"""

ZSH = r"""
_isochron_measured() {
  local -aU names
  names=(${opt_args[--results]:-results}/*/*/campaign.json(N:h:h:t))
  compadd -a names
}
_isochron_campaign() { compadd {campaigns}; _isochron_measured; _files }
_isochron_run() {
  local -a runs
  runs=(${opt_args[--results]:-results}/*/*/campaign.json(N:h))
  _isochron_measured
  compadd -a runs
  _files
}
_isochron_stacks() { compset -P '*,'; compadd {stacks} }
"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "completion", EXAMPLE, call)
    verb.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help=f"one of {', '.join(shtab.SUPPORTED_SHELLS)}")


def call(arguments: argparse.Namespace) -> int:
    """Print the script of one shell."""
    from isochron.cli.main import parser  # which loads this module when the command is called

    words = _with_functions(parser())
    print(shtab.complete(words, arguments.shell, preamble=_preamble().get(arguments.shell, "")))
    return Exit.DONE


def _with_functions(top: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser with the functions that complete campaigns, runs, stacks and folders."""
    for verbs in (action for action in top._actions if isinstance(action, argparse._SubParsersAction)):
        for name, verb in verbs.choices.items():
            for action in verb._actions:
                function = STACKS if "--stacks" in action.option_strings else BY_METAVAR.get(str(action.metavar))
                if function is not None:
                    action.complete = MEASURED if (name, action.metavar) == ("history", "CAMPAIGN") else function
    return top


def _preamble() -> dict[str, str]:
    """Return the functions of each shell."""
    words = {"{campaigns}": " ".join(shipped_campaigns()), "{stacks}": " ".join(_stacks())}
    return {shell: _filled(script, words) for shell, script in (("bash", BASH), ("zsh", ZSH))}


def _filled(script: str, words: dict[str, str]) -> str:
    for name, text in words.items():
        script = script.replace(name, text)
    return script


def _stacks() -> list[str]:
    """Return the names of declared stacks, and versions of libraries that were looked up before."""
    specs = [f"{family}@{version}" for family in families() for version in wheel_index.known(family)]
    return [*available_stacks(), *specs]
