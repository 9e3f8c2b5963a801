# SPDX-License-Identifier: BSD-3-Clause
"""What the engine adds to a time, and what a call takes where several share that."""
