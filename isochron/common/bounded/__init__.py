# SPDX-License-Identifier: BSD-3-Clause
"""Files that are small and could unfold without end, compressed ones and YAML: read within bounds."""
