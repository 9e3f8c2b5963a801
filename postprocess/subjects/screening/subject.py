# SPDX-License-Identifier: BSD-3-Clause
"""What was screened before the run: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.screening.finding import screened

SUBJECT = Subject(findings=(screened,))
