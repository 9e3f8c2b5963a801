# SPDX-License-Identifier: BSD-3-Clause
"""Known traps of stacks at sites: what works, and measures something else than the machine can do."""

import re

from isochron.schemas.run.binding import NodeShape
from isochron.workflows.doctor.machine import SiteFinding
from isochron.workflows.doctor.remedies import CAMPAIGN, whole_nodes
from isochron.workflows.doctor.trial import Trial
from isochron.workflows.planning.points import cores_of

#: Values of Spack's variant `fabrics` of Open MPI that reach a fast network.
FABRICS = r"\b(ucx|ofi|psm2?|mxm|verbs|knem|xpmem)\b"


def traps(trial: Trial) -> list[SiteFinding]:
    """Return the traps that a trial has run into."""
    return [finding for trap in (_fabric, _whole_node, _cores_per_node) for finding in trap(trial)]


def devices(trial: Trial) -> list[str]:
    """Return the devices of fast networks that the nodes have and that are not known to be down."""
    facts = [(name, value) for node in trial.provenance.nodes.values() for name, value in node.items()]
    down = {name.rpartition(".")[0] for name, value in facts if name.endswith(".state") and "ACTIVE" not in value}
    names = {name.rpartition(".")[0] for name, _ in facts if name.startswith("fabric.")}
    return sorted(name.removeprefix("fabric.") for name in names - down)


def _fabric(trial: Trial) -> list[SiteFinding]:
    """A library without the network of the nodes: what it measures between them is TCP, about ten times slower.

    https://github.com/spack/spack-packages/issues/3485: Spack's Open MPI has no fabric unless one is asked for.
    """
    manifest = trial.manifest
    if manifest is None or trial.nodes < 2:
        return []
    if manifest.stack_source == "spack" and "openmpi" in manifest.provenance.get("spec", ""):
        spec = manifest.provenance["spec"]
        fabrics = re.search(r"\bfabrics=(\S+)", spec)
        if manifest.provenance.get("installed") == "external" or (fabrics and re.search(FABRICS, fabrics[1])):
            return []
        words = (
            f"Spack built Open MPI with fabrics={fabrics[1] if fabrics else 'none'}: between nodes it uses TCP, about "
            "ten times slower than a fast network (spack-packages issue 3485)"
        )
        write = (
            f"{CAMPAIGN}: site.spack.config: [FOLDER], with packages.yaml in it: packages: {{openmpi: {{require: "
            "'fabrics=ucx'}}} (or ofi), or site.spack.externals: the site's own"
        )
        return [SiteFinding(trial.stack, "fabric", "warning", words, write)]
    networks = devices(trial)
    if manifest.stack_source == "wheels" and networks:
        words = (
            f"the nodes have {', '.join(networks)}, and a library from a wheel uses TCP, unless it finds their drivers"
        )
        write = f"{CAMPAIGN}: stacks: [prefix:FOLDER or module:NAME/VERSION, the site's own], or stack_source: spack"
        return [SiteFinding(trial.stack, "fabric", "warning", words, write)]
    return []


def _whole_node(trial: Trial) -> list[SiteFinding]:
    """A job that shares its nodes with others."""
    for host, facts in trial.provenance.nodes.items():
        shape = NodeShape.of(facts)
        if shape.restricted:
            words = f"the job has {len(shape.job)} of {len(shape.online)} processors of {host}: others may use the rest"
            return [SiteFinding(trial.stack, "whole nodes", "warning", words, whole_nodes(trial.campaign))]
    return []


def _cores_per_node(trial: Trial) -> list[SiteFinding]:
    """Another number of cores than that of the nodes: processes would share cores, or leave some idle."""
    stated = cores_of(trial.campaign)
    for host, facts in trial.provenance.nodes.items():
        shape = NodeShape.of(facts)
        cores = len(shape.cores(shape.job or shape.online))
        if cores and stated != cores:
            processors = len(shape.job or shape.online)
            smt = f" ({processors} processors, SMT)" if processors > cores else ""
            key = "site.cores_per_node"
            stated_as = (
                f"{key} is {stated}" if trial.campaign.site.cores_per_node else f"{key} is not given: {stated}, here"
            )
            words = f"{host} has {cores} cores{smt}, and {stated_as}"
            return [SiteFinding(trial.stack, "cores", "warning", words, f"{CAMPAIGN}: {key}: {cores}")]
    return []
