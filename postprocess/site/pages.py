# SPDX-License-Identifier: BSD-3-Clause
"""Writing the pages of a site: templates, policy, and files that are written only where they say something new."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from isochron.postprocess.report.render import REPORTS, templates

#: What a reader's browser may load and run: this site's styles and pictures, and scripts with a known hash.
POLICY = (
    "default-src 'none'; script-src {}; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; "
    "base-uri 'none'; form-action 'none'"
)
#: The styles of the site, which become one file.
STYLES, STYLE = ("styles/report.css", "styles/site.css"), "style.css"
#: The scripts of every page.
SCRIPT = "report.js"
#: A page whose own script loads data of the site.
LOADS = " 'strict-dynamic'"


class Pages:
    """The files of a site below `folder`; `written` are those that belong to it, by their paths there."""

    def __init__(self, folder: Path, title: str) -> None:
        self.folder, self.title, self.written = folder, title, list[str]()
        self._templates = templates()

    def text(self, path: str, text: str) -> None:
        """A file of the site. It can be made again, so it is not waited for until it is on the disk."""
        self.written.append(path)
        target = self.folder / path
        content = text.encode()
        if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        partial.write_bytes(content)
        partial.replace(target)

    def page(self, path: str, template: str, heading: str, view: object, scripts: Sequence[str] = ()) -> None:
        """A page of the site. `template`: of `templates/site`; `scripts`: further ones, which may load data."""
        style = "../" * path.count("/") + STYLE
        self.text(path, self.html(template, heading, view, scripts, root="../" * path.count("/"), style=style))

    def html(
        self,
        template: str,
        heading: str,
        view: object,
        scripts: Sequence[str] = (),
        *,
        root: str | None,
        style: str = "",
    ) -> str:
        """A page. `root`: the way to the site's folder, None for a page that is in no site, with its styles in it."""
        script = "".join(self._templates.get_template(f"scripts/{name}").render() for name in (SCRIPT, *scripts))
        allowed = f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" + (LOADS if scripts else "")
        return self._templates.get_template(f"templates/site/{template}").render(
            heading=heading, site=self.title, view=view, root=root, style=style, script=script,
            styles="" if style else self.styles(), policy=POLICY.format(allowed),
        )  # fmt: skip

    def styles(self) -> str:
        """All styles as one text."""
        return "".join(self._templates.get_template(name).render() for name in STYLES)


def look() -> str:
    """Templates, styles and scripts as a hash: pages follow from them, too."""
    files = sorted(path for path in REPORTS.rglob("*") if path.suffix in (".j2", ".css", ".js", ".html"))
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
