# SPDX-License-Identifier: BSD-3-Clause
"""Commands load no large library that they do not use: every call pays for it, in a campaign many times."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

#: What is done in a fresh interpreter, with the libraries that it must not load.
LOADED_BY = {
    "isochron --help": (
        "from isochron.cli.main import parser\nparser([]).format_help()",
        {"numpy", "pydantic", "yaml", "isochron.cli.plan", "isochron.cli.certify"},
    ),
    "isochron.cli.main": ("import isochron.cli.main", {"numpy", "pandas", "pyarrow", "matplotlib", "snakemake"}),
    "history without --html": ("call('history', 'nowhere')", {"matplotlib", "jinja2", "scipy.stats"}),
    "compare without --html": ("call('compare', 'nowhere', 'nowhere')", {"matplotlib", "jinja2", "scipy.stats"}),
}
PROGRAM = """
import sys

def call(*words):
    from isochron.postprocess.__main__ import main
    assert main(list(words)) == 1, "there is no such run"

{action}
print(*sys.modules)
"""


@pytest.mark.parametrize(("action", "unwanted"), LOADED_BY.values(), ids=LOADED_BY)
def test_no_more_is_loaded_than_used(action: str, unwanted: set[str]) -> None:
    program = PROGRAM.format(action=action)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not unwanted & set(done.stdout.split())
