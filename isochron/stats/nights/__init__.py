# SPDX-License-Identifier: BSD-3-Clause
"""One night more beside those before: is it where a further night of the same software would lie?"""
