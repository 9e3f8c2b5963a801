# SPDX-License-Identifier: BSD-3-Clause
"""Takes the pictures of the documentation from the report of a real run, in a real browser.

usage: python scripts/take_pictures.py RUN [FOLDER]     (default folder: docs/images; needs Chromium)
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from isochron.schemas.run.layout import RunLayout  # noqa: E402
from tests.browser import DESK, PHONE, opened, started  # noqa: E402

#: Window, and the fold that is opened and moved to the top of it.
PICTURES = {
    "report.png": (DESK, ""),
    "report-phone.png": (PHONE, ""),
    "every-comparison.png": (DESK, "answer-1-rests"),
}
MOVED = """(name) => {
  const each = document.getElementById(name);
  each.open = true;
  each.scrollIntoView({ behavior: "instant" });
}"""


def main(run: Path, folder: Path) -> None:
    """Write all pictures."""
    page = RunLayout(run).report
    with started() as browser:
        for name, (size, fold) in PICTURES.items():
            with opened(browser, page, size) as tab:
                if fold:
                    tab.evaluate(f"({MOVED})({json.dumps(fold)})")
                tab.page.screenshot(path=folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "images")
