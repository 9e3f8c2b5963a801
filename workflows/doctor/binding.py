# SPDX-License-Identifier: BSD-3-Clause
"""Whether the processes of a trial had cores of their own, why not, and what gives them some."""

from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.binding import NodeBinding, node_bindings
from isochron.workflows.doctor.machine import Level, SiteFinding
from isochron.workflows.doctor.remedies import CAMPAIGN, REFRAME, launcher_of, one_thread, whole_nodes
from isochron.workflows.doctor.trial import Trial

#: How bad each kind of sharing is.
LEVELS: dict[str | None, Level] = {None: "ok", "unbound": "warning", "cores": "error", "processors": "error"}
#: Variables that switch off the binding of a library's processes, and the values that do.
UNBINDING = {
    "I_MPI_PIN": ("0", "off", "no", "disable"),
    "OMPI_MCA_hwloc_base_binding_policy": ("none",),
    "PRTE_MCA_hwloc_default_binding_policy": ("none",),
}


def binding(trial: Trial) -> list[SiteFinding]:
    """Judge the processors of all launches of a trial; planned oversubscription is not judged."""
    bound = [
        node
        for launch in trial.files.values()
        if launch.header.launch.get("oversubscribed") != "true"
        for node in node_bindings(launch.header, trial.provenance.nodes)
    ]
    if not bound:
        return []
    worst = max(bound, key=lambda node: [*LEVELS].index(node.sharing))
    words = f"{worst.words}: {worst.cause}" if worst.cause else worst.words
    return [SiteFinding(trial.stack, "binding", LEVELS[worst.sharing], words, _remedy(worst, trial))]


def _remedy(worst: NodeBinding, trial: Trial) -> str:
    if worst.sharing is None:
        return ""
    if worst.lacks_node:
        return whole_nodes(trial.campaign)
    cores = len(worst.shape.cores(worst.shape.job or worst.shape.online))
    if 0 < cores < worst.needed:
        most = max(1, cores // worst.threads)
        return f"{CAMPAIGN}: site.cores_per_node: {cores}, and processes_per_node: at most {most}"
    facts = trial.provenance.launch
    for name, values in UNBINDING.items():
        if facts.get(f"environment.{name}", "").lower() in values:
            variant = trial.campaign.variants.get(trial.stack)
            if variant is not None and name in variant.environment:
                return f"{CAMPAIGN}: variants.{trial.stack}.environment: without {name}"
            return f"{REFRAME}: partition, env_vars: without {name}"
    launcher = launcher_of(trial.campaign, trial.manifest)
    if worst.sharing == "cores":
        return one_thread(trial.campaign)
    not_bound = site_launchers()[launcher].not_bound if launcher else None
    if not_bound:
        return f"{not_bound}, or {CAMPAIGN}: site.launcher: stack"
    return f"{CAMPAIGN}: site.launcher: one that binds, such as {'stack' if launcher else 'that of the scheduler'}"
