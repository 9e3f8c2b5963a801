# SPDX-License-Identifier: BSD-3-Clause
"""The fonts in which tests look at pages: the same on every machine, and the widest that readers are likely to have.

DejaVu comes with matplotlib. Its letters are wider than those of Liberation, Noto or Times: what fits in it fits there.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

#: Families that a page may ask for, by what stands for them.
FAMILIES = {
    "DejaVu Serif": ["serif", "Charter", "Bitstream Charter", "Sitka Text", "Cambria", "Georgia", "Times New Roman"],
    "DejaVu Sans": ["sans-serif", "system-ui", "Segoe UI", "Roboto", "Helvetica Neue", "Arial"],
    "DejaVu Sans Mono": ["monospace"],
}


def pin(folder: Path) -> None:
    """Let fontconfig, and so the browser, have these fonts alone, unless FONTCONFIG_FILE names others."""
    aliases = "".join(
        f"<match><test name='family'><string>{name}</string></test>"
        f"<edit name='family' mode='assign' binding='strong'><string>{font}</string></edit></match>"
        for font, names in FAMILIES.items()
        for name in names
    )
    matplotlib, fonts = find_spec("matplotlib"), folder / "fonts.conf"
    assert matplotlib is not None and matplotlib.origin is not None
    truetype = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    fonts.write_text(
        "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'urn:fontconfig:fonts.dtd'><fontconfig>"
        f"<dir>{truetype}</dir><cachedir>{folder / 'fonts'}</cachedir>{aliases}"
        "</fontconfig>"
    )
    os.environ.setdefault("FONTCONFIG_FILE", str(fonts))
