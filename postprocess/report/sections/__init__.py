# SPDX-License-Identifier: BSD-3-Clause
"""The report's sections, a module each: heading, template, what it needs, and what the template shows."""
