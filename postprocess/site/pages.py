# SPDX-License-Identifier: BSD-3-Clause
"""Writing the pages of a site: templates, policy, and files that are written only where they say something new."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType

from isochron.common.files import read_bytes, refuse_links_below, write_bytes_atomically
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
#: The scripts of pages with charts, and those of a page that loads data of the site, and what its policy allows more.
TRENDS = ("dom.js", "explorer/scale.js", "trends.js")
LOADING, LOADS = ("compare.js",), " 'strict-dynamic'"


class Pages:
    """The files of a site below `folder`; `written` has the seals of those that belong to it, by their paths there.

    `before`: the same as an earlier call has left it.
    """

    def __init__(self, folder: Path, title: str, before: Mapping[str, str] = MappingProxyType({})) -> None:
        self.folder, self.title, self.before, self.written = folder, title, before, dict[str, str]()
        self._templates = templates()

    def text(self, path: str, text: str) -> None:
        """A file of the site. Raises FileError if a link would lead it elsewhere."""
        target, content = self.folder / path, text.encode()
        refuse_links_below(self.folder, target)
        self.written[path] = seal_of(content)
        if not is_sealed(target, self.written[path]):
            write_bytes_atomically(target, content)

    def keep(self, paths: Sequence[str]) -> bool:
        """Return True if all of these are what an earlier call wrote: then they stay."""
        kept = {path: self.before.get(path, "") for path in paths}
        whole = are_sealed(self.folder, kept)
        self.written |= kept if whole else {}
        return whole

    def page(self, path: str, template: str, heading: str, view: object, scripts: Sequence[str] = ()) -> None:
        """A page of the site. `template`: of `templates/site`; `scripts`: further ones."""
        style = "../" * path.count("/") + STYLE
        self.text(path, self.html(template, heading, view, scripts, root="../" * path.count("/"), style=style))

    def picture(self, path: str, template: str, **view: object) -> None:
        """A picture of the site. `template`: of `templates/site`."""
        self.text(path, self._templates.get_template(f"templates/site/{template}").render(view))

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
        digest = b64encode(sha256(script.encode()).digest()).decode()
        allowed = f"'sha256-{digest}'" + (LOADS if scripts == LOADING else "")
        return self._templates.get_template(f"templates/site/{template}").render(
            heading=heading, site=self.title, view=view, root=root, style=style, script=script,
            styles="" if style else self.styles(), policy=POLICY.format(allowed),
        )  # fmt: skip

    def styles(self) -> str:
        """All styles as one text."""
        return "".join(self._templates.get_template(name).render() for name in STYLES)


def seal_of(content: bytes) -> str:
    """Size and SHA-256, as the site's record has them of each file."""
    return f"{len(content)} {sha256(content).hexdigest()}"


def is_sealed(file: Path, seal: str) -> bool:
    """Return True if a file is there, is no link, and is what it was when it was written."""
    size = seal.partition(" ")[0]
    try:
        status = file.lstat()
        return S_ISREG(status.st_mode) and str(status.st_size) == size and seal_of(read_bytes(file)) == seal
    except OSError:
        return False


def are_sealed(folder: Path, files: Mapping[str, str]) -> bool:
    """Return True if all files of a site are what they were when they were written."""
    return all(is_sealed(folder / path, seal) for path, seal in files.items())


def style_version() -> str:
    """Templates, styles and scripts as a hash: pages follow from them, too."""
    files = sorted(path for path in REPORTS.rglob("*") if path.suffix in (".j2", ".css", ".js", ".html"))
    return sha256(b"\0".join(map(read_bytes, files))).hexdigest()
