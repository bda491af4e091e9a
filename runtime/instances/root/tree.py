"""--instances: all instances as a tree, with their states."""

from __future__ import annotations

from runtime.instances.root.cluster import Cluster
from runtime.instances.roster.paths import last

WIDTH = 24  # characters of the column of names


def listing(cluster: Cluster, verbose: bool = False) -> str:
    """A line for each instance below its parent; with `verbose`, its providers and who they are."""
    lines = [f"{'INSTANCE':<{WIDTH}} {'STATE':<12} {'CPUS':>4} {'CLOCK':>12} {'PROVIDERS':>9} "
             f"{'PROBES':>6} SYSTEM"]
    for instance in cluster.instances:
        depth = instance.path.count("/")
        name = "  " * depth + last(instance.path)
        clock = cluster.membership.clocks[instance.number].at(cluster.root.now)
        offset = f"{clock.offset / 1000:+.0f}±{clock.error / 1000:.0f} us"
        providers = cluster.root.relay.directory.of(instance.number)
        lines.append(f"{name:<{WIDTH}} {instance.state:<12} {instance.cpus:>4} {offset:>12} "
                     f"{len(providers):>9} {cluster.probes.count(instance):>6} {instance.system}")
        if verbose:
            lines += [f"{'  ' * depth}    {each.name} {each.own} (heard as {each.heard})"
                      for each in providers]
    return "\n".join(lines) + "\n"
