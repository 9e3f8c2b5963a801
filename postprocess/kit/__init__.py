# SPDX-License-Identifier: BSD-3-Clause
"""What subjects share: declarations of tables, figures, findings and sections, and how to draw."""
