"""A measured number that carries its definition and its uncertainty."""

from dataclasses import dataclass, field

import numpy as np

from overtone.kernels import Floats


@dataclass(frozen=True, eq=False)
class Measure:
    """The mean of a metric over users; `by_user` is NaN for users whom the metric does not judge."""

    name: str
    definition: str
    by_user: Floats = field(repr=False)

    @property
    def judged(self) -> Floats:
        """The values of the users whom the metric judges."""
        return self.by_user[~np.isnan(self.by_user)]

    @property
    def mean(self) -> float:
        """The mean over judged users, NaN where there is none."""
        return float(self.judged.mean()) if self.users else float("nan")

    @property
    def stderr(self) -> float:
        """The standard error of that mean, NaN for fewer than two users."""
        return float(self.judged.std(ddof=1) / np.sqrt(self.users)) if self.users > 1 else float("nan")

    @property
    def users(self) -> int:
        """How many users the metric judges."""
        return len(self.judged)

    @property
    def skipped(self) -> int:
        """How many users it cannot judge, by the rule in its definition."""
        return len(self.by_user) - self.users

    def interval(self, z: float = 1.959964) -> tuple[float, float]:
        """Return the normal interval of the mean: 95 % by default."""
        return self.mean - z * self.stderr, self.mean + z * self.stderr

    def __float__(self) -> float:
        """Return the mean."""
        return self.mean

    def __str__(self) -> str:
        """Return the number as it should be reported."""
        skipped = f", {self.skipped:,} skipped" if self.skipped else ""
        return f"{self.name} {self.mean:.4f} ± {self.stderr:.4f} ({self.users:,} users{skipped})"
