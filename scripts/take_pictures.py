# SPDX-License-Identifier: BSD-3-Clause
"""Takes the pictures of the documentation from the report of a real run, in a real browser.

usage: python scripts/take_pictures.py RUN [FOLDER]     (default folder: docs/images; needs Chromium)
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from isochron.schemas.run.layout import RunLayout  # noqa: E402
from tests.devtools import Browser  # noqa: E402

#: Window, and the fold that is opened and moved to the top of it.
PICTURES = {
    "report.png": (1280, 800, ""),
    "report-phone.png": (390, 844, ""),
    "every-comparison.png": (1280, 800, "answer-1-rests"),
}
MOVED = """(name) => {
  const each = document.getElementById(name);
  each.open = true;
  each.scrollIntoView({ behavior: "instant" });
}"""


def main(run: Path, folder: Path) -> None:
    """Write all pictures."""
    page = RunLayout(run).report
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, Browser(Path(profile)) as browser:
        for name, (width, height, fold) in PICTURES.items():
            tab = browser.open(page, width, height)
            if fold:
                tab.evaluate(f"({MOVED})({json.dumps(fold)})")
            (folder / name).write_bytes(tab.picture())
            tab.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "images")
