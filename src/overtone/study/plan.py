"""What is to be measured: cases, each one method on one split, and what they are for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple

from overtone.errors import require_count
from overtone.peers import PEERS, peer_of
from overtone.rankers import PRESETS
from overtone.study.printed import METHODS, SIZES

Jobs = tuple[tuple[str, int], ...]

NEIGHBORS = (4, 16, 64, 128)
COMPARISONS = (32, 64, 128, 256, 512)
"""K and D of Figure 1; D is at least K."""

Sweeps = Mapping[str, Mapping[str, tuple[int, ...]]]

SWEEPS: Sweeps = {
    "ldm-paper": {"neighbors": (16, 32, 64, 128)},
    "ldm": {"neighbors": (8, 32, 128)},
    "ranksvd": {"rounds": (5, 20, 80)},
    "lcr": {"rounds": (10, 30, 100)},
    "altsvm": {"rank": (10, 100), "rounds": (1, 5, 20)},
    "bayesian": {"sweeps": (60, 120, 250)},
    "biased-mf": {"rounds": (3, 15)},
    "item-knn": {"neighbors": (16, 128)},
    "user-knn": {"neighbors": (16, 128)},
}
"""Settings of Figure 2: each method from its fast to its slow end."""


class Case(NamedTuple):
    """One method on one split; `spec` is a ranker with settings, or a peer."""

    data: str
    n: int
    seed: int
    spec: str


@dataclass(frozen=True)
class Plan:
    """Pairs of data and N, how many splits, and the methods of the table and of both figures."""

    kind: str
    jobs: Jobs
    seeds: int
    table: tuple[str, ...]
    curve: tuple[str, ...] = ()
    cloud: tuple[str, ...] = ()
    absent: dict[str, str] = field(default_factory=dict)

    def cases(self) -> list[Case]:
        """List all: the table over every split, figures over the first; a split's methods together."""
        found = []
        for (data, n), seed in product(self.jobs, range(self.seeds)):
            specs = [*self.table, *([*self.curve, *self.cloud] if seed == 0 else ())]
            found += [Case(data, n, seed, spec) for spec in dict.fromkeys(specs)]
        return found


def jobs_of(datas: Sequence[str], ns: Sequence[int]) -> Jobs:
    """Pair each data set with each N; without any N, with those of the paper, or 10, 20 and 50."""
    own = {data: tuple(n for name, n in SIZES if name == data) or (10, 20, 50) for data in datas}
    return tuple((data, require_count("n", n, 1)) for data in datas for n in (ns or own[data]))


def paper(datas: Sequence[str], ns: Sequence[int], seeds: int) -> Plan:
    """Plan the paper's tables and figures."""
    curve = tuple(
        f"ldm-paper:neighbors={k},comparisons={d}" for k, d in product(NEIGHBORS, COMPARISONS) if d >= k
    )
    require_count("seeds", seeds, 1)
    return Plan("paper", jobs_of(datas, ns), seeds, tuple(METHODS), curve, _cloud(SWEEPS))


def everything(datas: Sequence[str], ns: Sequence[int], seeds: int) -> Plan:
    """Plan a table of every ranker, tuned and not, and of the peers that are installed."""
    absent = {name: reason for name in PEERS if (reason := peer_of(name).absent)}
    table = (*PRESETS, *(name for name in PEERS if name not in absent))
    require_count("seeds", seeds, 1)
    return Plan("all", jobs_of(datas, ns), seeds, table, cloud=_cloud(SWEEPS), absent=absent)


def quick(plan: Plan) -> Plan:
    """Cut a plan down to what runs within two minutes: two splits of one N, few settings, no tuning."""
    table = tuple(name for name in plan.table if not name.endswith("-tuned") and name not in PEERS)
    ends = {name: {key: (values[0], values[-1]) for key, values in SWEEPS[name].items()} for name in METHODS}
    curve = tuple(spec for spec in plan.curve if spec.endswith((f"={COMPARISONS[2]}", f"={COMPARISONS[-1]}")))
    seeds = min(plan.seeds, 2)
    return replace(plan, jobs=plan.jobs[:1], seeds=seeds, table=table, curve=curve, cloud=_cloud(ends))


def _cloud(sweeps: Sweeps) -> tuple[str, ...]:
    found = []
    for name, axes in sweeps.items():
        for values in product(*axes.values()):
            pairs = ",".join(f"{key}={value}" for key, value in zip(axes, values, strict=True))
            found.append(f"{name}:{pairs}")
    return tuple(found)
