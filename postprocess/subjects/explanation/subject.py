# SPDX-License-Identifier: BSD-3-Clause
"""Why two versions of a library differ: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.explanation.finding import explained
from isochron.postprocess.subjects.explanation.section import WHY

SUBJECT = Subject(findings=(explained,), sections=(WHY,))
