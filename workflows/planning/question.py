# SPDX-License-Identifier: BSD-3-Clause
"""The pairs of stacks that a campaign compares, and those of its question."""

from math import comb

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import QuestionPairs, asked
from isochron.spack_envs.declarations import declaration_in


def pairs_of(campaign: Campaign) -> int:
    """Return the number of pairs of stacks."""
    return comb(len(campaign.stacks), 2)


def question_pairs(campaign: Campaign) -> QuestionPairs:
    """Return the pairs of the campaign's question, by the declared versions of its stacks."""
    declared = {stack: declaration_in(campaign, stack) for stack in campaign.stacks}
    versions = {stack: (declaration.mpi_library, declaration.version) for stack, declaration in declared.items()}
    return asked(campaign.question, campaign.stacks, versions)
