"""What the paper prints: Table 1, the data, and Table 2, NDCG@10 and seconds."""

from typing import NamedTuple

SIZES = {
    ("ml-100k", 10): (943, 1_682, 100_000),
    ("ml-100k", 20): (744, 1_682, 95_269),
    ("ml-1m", 10): (6_040, 3_706, 1_000_209),
    ("ml-1m", 20): (5_289, 3_701, 982_040),
    ("ml-1m", 50): (3_938, 3_677, 924_053),
    ("ml-10m", 10): (69_878, 10_677, 10_000_054),
    ("ml-10m", 20): (57_534, 10_675, 9_704_223),
    ("ml-10m", 50): (38_604, 10_672, 8_897_688),
    ("ml-10m", 100): (24_328, 10_666, 7_730_011),
}
"""Users, items and ratings after the preparation for given-N (Table 1)."""


class Printed(NamedTuple):
    """One method in one row of Table 2."""

    ndcg: float
    seconds: float


METHODS = {"ranksvd": "SVD", "lcr": "LCR", "altsvm": "AltSVM", "ldm-paper": "LDM"}
"""Our name of each of the paper's methods, and its own."""

_ROWS = {
    ("ml-1m", 10): ((0.6836, 844.4), (0.7447, 254.2), (0.6680, 3.6), (0.7295, 61.1)),
    ("ml-1m", 20): ((0.6758, 843.3), (0.7428, 437.3), (0.6879, 6.8), (0.7404, 52.3)),
    ("ml-1m", 50): ((0.6178, 730.5), (0.7470, 1168.8), (0.7730, 53.0), (0.7527, 37.0)),
    ("ml-10m", 10): ((0.6291, 24913.4), (0.6866, 4544.4), (0.6536, 61.2), (0.7077, 1496.3)),
    ("ml-10m", 20): ((0.6201, 14778.5), (0.6899, 6823.5), (0.7208, 275.4), (0.7213, 1653.1)),
    ("ml-10m", 50): ((0.5731, 10899.1), (0.6830, 14668.5), (0.7507, 648.4), (0.7286, 1295.0)),
    ("ml-10m", 100): ((0.5328, 14648.5), (0.7125, 4289.1), (0.7719, 1411.2), (0.7349, 832.0)),
}
RESULTS = {
    (*where, method): Printed(*values)
    for where, row in _ROWS.items()
    for method, values in zip(METHODS, row, strict=True)
}
"""By data, N and our name of the method (Table 2)."""
