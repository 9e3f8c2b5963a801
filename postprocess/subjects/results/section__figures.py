# SPDX-License-Identifier: BSD-3-Clause
"""The figures that stand in no other section."""

from __future__ import annotations

from isochron.postprocess.kit.section import FigureView, Section, Source


def build(source: Source) -> list[FigureView] | None:
    """None where there is no figure."""
    return source.figures_of("figures") or None


FIGURES = Section("figures", "Figures", "figures.html.j2", build)
