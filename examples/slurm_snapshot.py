"""The placement on a Slurm cluster as a snapshot for `compass sif`.

    scontrol -d -o show job > jobs.txt
    scontrol -o show node > nodes.txt
    python examples/slurm_snapshot.py jobs.txt nodes.txt > snapshot.csv

The GPUs that a job holds on one node are one instance. Nodes without GPUs and nodes that are down are left out; the GPU
type of a node is its pool.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path


def hosts(names: str) -> Iterator[str]:
    """Every name of a host list: gpu[01-02,04],login gives gpu01, gpu02, gpu04 and login."""
    for prefix, ranges in re.findall(r"([^,\[]+)(?:\[([^\]]*)\])?", names):
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            if first:
                yield from (f"{prefix}{number:0{len(first)}}" for number in range(int(first), int(last or first) + 1))
            else:
                yield prefix


def gpus(allocation: str) -> int:
    """GPUs in a job's GRES on a node, by their indices: gpu:a100:5(IDX:0-3,6) has five."""
    spans = [span for found in re.findall(r"gpu[^(]*\(IDX:([\d,-]+)\)", allocation) for span in found.split(",")]
    ends = [span.split("-") for span in spans]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


def rows(jobs: str, nodes: str) -> Iterator[tuple[str, str, object, int, str]]:
    """A row for each GPU node, and one for each job on it."""
    gpu_nodes: dict[str, tuple[int, str]] = {}
    for line in nodes.splitlines():
        fields = dict(re.findall(r"(\w+)=(\S*)", line))
        types = re.findall(r"gpu:(?:([^(:,]+):)?(\d+)", fields.get("Gres", ""))
        if types and not fields["State"].startswith("DOWN"):
            gpu_nodes[fields["NodeName"]] = sum(int(number) for _, number in types), types[0][0]
            yield fields["NodeName"], "", "", *gpu_nodes[fields["NodeName"]]
    for line in jobs.splitlines():
        if "JobState=RUNNING" in line:
            job = line.partition("JobId=")[2].split()[0]
            for names, allocation in re.findall(r" Nodes=(\S+) CPU_IDs=\S* Mem=\S* GRES=(\S*)", line):
                for name in hosts(names):
                    if name in gpu_nodes and gpus(allocation):
                        yield name, job, gpus(allocation), *gpu_nodes[name]


def main(jobs: str, nodes: str) -> None:
    """Print the snapshot."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("node", "job", "gpus", "capacity", "pool"))
    writer.writerows(rows(Path(jobs).read_text(encoding="utf-8"), Path(nodes).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(*sys.argv[1:])
