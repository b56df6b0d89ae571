"""Synthetic ratings: people on a low-dimensional manifold, smooth tastes over it, no download.

The settings below were chosen so that the bars of the given-N protocol stand about where MovieLens-1M
puts them at N = 10: chance, popularity, item mean, bias, and the graph above them all.
"""

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from overtone.errors import SettingError, require_count, require_real
from overtone.ids import Ids
from overtone.parallel import spans
from overtone.ratings import Ratings
from overtone.ratings.triples import Triples

Reals = NDArray[np.float32]

MEAN_STARS = 3.55
GENEROSITY = 0.5
QUALITY = 0.35
TASTE = 0.9
"""Standard deviations, in stars, of a user's offset, of an item's, and of what they make of each other."""

FAME = 0.6
"""Correlation of an item's quality with the logarithm of its popularity."""

WAVES = 24
"""Coordinates of the space that the manifold is embedded in."""

BEND = 5.5
"""Standard deviation of the angle, in radians, by which a wave turns over the width of the manifold."""

REACH = 0.1
"""How far people look for what they rate, where the manifold is 1 wide: tastes bend at this scale too."""

PLATEAU = 0.01
TAIL = 2.5
"""Zipf's law begins at this share of the items, and its last item falls short of it by this power of e."""

SKEW = 0.9
"""Standard deviation of the logarithm of how many ratings a user adds to those."""

BLOCK = 256
"""Users drawn at a time; part of what a seed means, since it orders the random numbers."""


class Manifold(NamedTuple):
    """Coordinates of users and items; users where they are embedded, and items' tastes, linear there."""

    users: Reals
    items: Reals
    embedded: Reals
    tastes: Reals
    taste_at_home: Reals


class Appeal(NamedTuple):
    """What ratings depend on besides the manifold: how often an item is met, how good it is, who judges."""

    popularity: Reals
    quality: Reals
    generosity: Reals


def synthetic(  # noqa: PLR0913 - sizes, then what few change, by name
    users: int = 1000,
    items: int = 500,
    ratings: int = 60_000,
    *,
    seed: int = 0,
    dimension: int = 2,
    noise: float = 0.6,
    least: int = 20,
) -> Ratings:
    """Make up ratings of 1 to 5 stars, by synthetic users `u0001` ... of synthetic items `i001` ...

    Users and items lie on a manifold of `dimension` coordinates. An item's taste is a smooth function on
    it, and people rate what is popular (Zipf) and lies near them, so that who rated what tells where they
    are; `noise` is the standard deviation, in stars, of what nothing explains. There are exactly `ratings`
    ratings of distinct pairs; an item may be left without any where they are few. A user has `least` of
    them or more where there are enough: with 20, given-N at 10 keeps everybody.

    >>> table = synthetic(users=300, items=120, ratings=9_000, seed=1)
    >>> table.n_users, table.n_items, len(table), table.users.values[41]
    (300, 120, 9000, 'u042')
    """
    _require_sizes(users, items, ratings)
    require_count("dimension", dimension, 1, 64)
    require_real("noise", noise, 0.0)
    rng = np.random.default_rng(require_count("seed", seed, 0))
    manifold = _manifold(rng, users, items, dimension)
    appeal = _appeal(rng, users, items)
    require_count("least", least, 1)
    counts = _activity(rng, (users, items, ratings), least)
    user = np.repeat(np.arange(users, dtype=np.int32), counts)
    item = np.concatenate([_choices(rng, manifold, appeal, counts, block) for block in spans(users, BLOCK)])
    liking = _liking(manifold, appeal, user, item)
    liking += noise * rng.standard_normal(ratings, np.float32)
    stars = np.clip(np.rint(liking + (MEAN_STARS - liking.mean())), 1.0, 5.0).astype(np.float64)
    return Ratings.from_triples(_ids("user", users), _ids("item", items), Triples(user, item, stars))


def _require_sizes(users: int, items: int, ratings: int) -> None:
    for name, value in dict(users=users, items=items, ratings=ratings).items():
        require_count(name, value, 1, 2**31 - 1)
    if not users <= ratings <= users * items:
        raise SettingError(
            f"ratings must be in {users}..{users * items} (one or more for each of {users} users,"
            f" of {items} items at most once each), not {ratings}"
        )


def _ids(noun: str, count: int) -> Ids:
    """Name things `u0001` on: padded, so that their order is that of their numbers."""
    width = len(str(count))
    return Ids.of(pl.Series([f"{noun[0]}{number:0{width}}" for number in range(1, count + 1)]), noun)


def _manifold(rng: np.random.Generator, users: int, items: int, dimension: int) -> Manifold:
    """Embed the unit cube by random waves, whose random sums are the smooth functions on it."""
    people = rng.random((users, dimension), np.float32)
    things = rng.random((items, dimension), np.float32)
    frequency = rng.normal(0.0, BEND / np.sqrt(dimension), (dimension, WAVES)).astype(np.float32)
    phase = rng.uniform(0.0, 2.0 * np.pi, WAVES).astype(np.float32)
    tastes = rng.standard_normal((items, WAVES), np.float32)

    def embed(places: Reals) -> Reals:
        # A matrix product would leave the order of the sum, and the last bit, to the BLAS in use.
        angles = np.einsum("pd,dw->pw", places, frequency) + phase
        embedded: Reals = np.sqrt(np.float32(2.0 / WAVES)) * np.cos(angles)
        return embedded

    return Manifold(people, things, embed(people), tastes, np.einsum("iw,iw->i", embed(things), tastes))


def _appeal(rng: np.random.Generator, users: int, items: int) -> Appeal:
    """Draw popularity by Zipf's law, levelled at its head and thinned at its tail as in real tables."""
    rank = rng.permutation(items).astype(np.float32)
    popularity = -np.log(1.0 + rank + PLATEAU * items) - TAIL * rank / items
    fame = (popularity - popularity.mean()) / max(float(popularity.std()), 1e-6)
    quality = FAME * fame + np.sqrt(1.0 - FAME**2) * rng.standard_normal(items, np.float32)
    generosity = GENEROSITY * rng.standard_normal(users, np.float32)
    return Appeal(popularity.astype(np.float32), (QUALITY * quality).astype(np.float32), generosity)


def _activity(rng: np.random.Generator, sizes: tuple[int, int, int], least: int) -> NDArray[np.int64]:
    """Deal out the ratings: the least to each user, the rest by a log-normal law, up to all items."""
    users, items, ratings = sizes
    least = min(least, ratings // users)
    zeal = np.exp(SKEW * rng.standard_normal(users))
    low, high = 0.0, float((items - least) / zeal.min())
    for _ in range(100):
        middle = (low + high) / 2.0
        enough = np.minimum(least + middle * zeal, items).sum() >= ratings
        low, high = (low, middle) if enough else (middle, high)
    share = np.minimum(least + low * zeal, items)
    counts = share.astype(np.int64)
    counts[np.argsort(counts - share, kind="stable")[: ratings - counts.sum()]] += 1
    return counts


def _choices(
    rng: np.random.Generator, manifold: Manifold, appeal: Appeal, counts: NDArray[np.int64], block: slice
) -> NDArray[np.int32]:
    """Draw the items of each user of a block, by popularity times nearness, in ascending order.

    Exponential clocks ring at those rates; the first `k` to ring are a draw of `k` without replacement.
    """
    people = manifold.users[block]
    wait = np.tile(-appeal.popularity, (len(people), 1))
    for mine, theirs in zip(people.T, manifold.items.T, strict=True):
        apart = np.subtract.outer(mine, theirs)
        # The mean over coordinates, not their sum: in many dimensions nothing would be near.
        apart *= apart * np.float32(0.5 / (REACH**2 * people.shape[1]))
        wait += apart
    np.exp(wait, out=wait)
    wait *= rng.standard_exponential(wait.shape, np.float32)
    first = [np.argpartition(row, k - 1)[:k] for row, k in zip(wait, counts[block], strict=True)]
    return np.concatenate([np.sort(items) for items in first]).astype(np.int32)


def _liking(manifold: Manifold, appeal: Appeal, user: NDArray[np.int32], item: NDArray[np.int32]) -> Reals:
    """Return what users make of items, in stars about the mean.

    An item's quality is what it is to those who live where it lies, who are most of its raters; without
    that its mean rating would hold most of the taste, and leave nothing personal to find.
    """
    quality = appeal.quality - TASTE * manifold.taste_at_home
    liking: Reals = appeal.generosity[user] + quality[item]
    for part in spans(len(user), 2**16):
        people, tastes = manifold.embedded[user[part]], manifold.tastes[item[part]]
        liking[part] += TASTE * np.einsum("rw,rw->r", people, tastes)
    return liking
