"""The placement on a Kubernetes cluster as a snapshot for `compass sif`.

    kubectl get pods --all-namespaces -o json > pods.json
    kubectl get nodes -o json > nodes.json
    python examples/kubernetes_snapshot.py pods.json nodes.json [LABEL] > snapshot.json

A pod is an instance, its owner is the job. A pod that is bound to a node and has not ended holds the GPUs that its
containers are limited to. LABEL, where given, names the node label that tells hardware pools apart.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

GPU = "nvidia.com/gpu"
Record = dict[str, Any]


def gpus(pod: Record) -> int:
    """GPUs of a pod: those of its containers together, or those of one that runs before them, if more."""
    spec = pod["spec"]

    def limits(kind: str) -> list[int]:
        return [int(c.get("resources", {}).get("limits", {}).get(GPU, 0)) for c in spec.get(kind, [])]

    return max([sum(limits("containers")), *limits("initContainers")])


def job(pod: Record) -> str:
    """The owner of a pod with its namespace; a pod without one is its own job."""
    owners = pod["metadata"].get("ownerReferences") or [pod["metadata"]]
    return f"{pod['metadata']['namespace']}/{owners[0]['name']}"


def snapshot(pods: list[Record], nodes: list[Record], label: str = "") -> Record:
    """The snapshot of all nodes that have GPUs."""
    placed: dict[str, list[Record]] = {}
    for pod in pods:
        if pod["spec"].get("nodeName") and pod["status"]["phase"] in ("Pending", "Running") and gpus(pod):
            placed.setdefault(pod["spec"]["nodeName"], []).append({"job": job(pod), "gpus": gpus(pod)})
    found = []
    for node in nodes:
        name, capacity = node["metadata"]["name"], int(node["status"]["capacity"].get(GPU, 0))
        if capacity:
            pool = node["metadata"].get("labels", {}).get(label, "")
            found.append({"name": name, "capacity": capacity, "pool": pool, "instances": placed.get(name, [])})
    return {"nodes": found}


def main(pods: str, nodes: str, label: str = "") -> None:
    """Print the snapshot."""
    items = [json.loads(Path(file).read_text(encoding="utf-8"))["items"] for file in (pods, nodes)]
    print(json.dumps(snapshot(items[0], items[1], label), indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
