# SPDX-License-Identifier: BSD-3-Clause
"""`isochron schema`: the JSON schema of each file."""

import argparse
import json

from isochron.cli.common import Verbs, add_verb
from isochron.common.exit_codes import Exit
from isochron.schemas.registry import SCHEMAS, json_schema

EXAMPLE = """\
  isochron schema campaign > campaign.schema.json     for completion and checks in an editor
  isochron schema --list                              the files that have a schema"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "schema", EXAMPLE, call)
    verb.add_argument("file", nargs="?", default="campaign", choices=list(SCHEMAS), help=f"one of {', '.join(SCHEMAS)}")
    verb.add_argument("--list", action="store_true", help="list the files that have a schema")


def call(arguments: argparse.Namespace) -> int:
    """Print a schema, or the list of them."""
    if arguments.list:
        for name, (_, meaning) in SCHEMAS.items():
            print(f"{name:12} {meaning}")
    else:
        print(json.dumps(json_schema(arguments.file), indent=2, ensure_ascii=False))
    return Exit.DONE
