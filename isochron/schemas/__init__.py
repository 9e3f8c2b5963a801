# SPDX-License-Identifier: BSD-3-Clause
"""The data schema: a pydantic model or column list for every file that crosses a boundary.

It imports `isochron.common` only, and every other package may import it.
"""
