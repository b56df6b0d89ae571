"""What can go wrong, as a family of exceptions.

    OvertoneError
    ├── DataError          ratings or pairs that cannot be used as they are
    ├── SettingError       a parameter outside its bounds
    │   └── DivergedError  settings within their bounds with which a fit leaves all numbers
    ├── UnknownIdError     a user or an item that the model has not seen
    ├── ModelFileError     a file that does not hold a model this version can read
    └── DatasetError       a public data set that is not here and cannot be had

Each message is one sentence: the value, the bound, what to do.
"""

from math import isfinite


class OvertoneError(Exception):
    """Something that the caller can put right; the message says how."""


class DataError(OvertoneError, ValueError):
    """Ratings or pairs that cannot be used as they are."""


class SettingError(OvertoneError, ValueError):
    """A parameter outside its bounds."""


class DivergedError(SettingError):
    """Settings within their bounds with which a fit leaves all numbers."""


class UnknownIdError(OvertoneError, LookupError):
    """A user or an item that the model has not seen."""


class ModelFileError(OvertoneError, ValueError):
    """A file that does not hold a model this version can read."""


class DatasetError(OvertoneError, OSError):
    """A public data set that is not here and cannot be had."""


def require_count(name: str, value: int, least: int, most: int | None = None) -> int:
    """Return `value` if it is a whole number within the bounds, else say what is wrong with it."""
    bound = f"at least {least}" if most is None else f"in {least}..{most}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise SettingError(f"{name} must be a whole number {bound}, not {value!r}")
    if value < least or (most is not None and value > most):
        raise SettingError(f"{name} must be {bound}, not {value}")
    return int(value)


def require_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`, else name them."""
    if not isinstance(value, str) or value not in choices:
        raise SettingError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return value


def require_real(name: str, value: float, least: float, *, open_below: bool = False) -> float:
    """Return `value` as a float if it is finite and not below `least` (above it where `open_below`)."""
    bound = "" if least == float("-inf") else f" {'above' if open_below else 'at least'} {least:g}"
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise SettingError(f"{name} must be a number{bound}, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    inside = number > least if open_below else number >= least
    if not inside or not isfinite(number):
        raise SettingError(f"{name} must be a finite number{bound}, not {value}")
    return number


def require_share(name: str, value: float) -> float:
    """Return `value` if it is at least 0 and below 1, else say what is wrong with it."""
    if require_real(name, value, 0.0) >= 1.0:
        raise SettingError(f"{name} must be at least 0 and below 1, not {value}")
    return float(value)


def require_flag(name: str, value: bool) -> bool:  # noqa: FBT001 - it is the value that is checked
    """Return `value` if it is true or false, else say what is wrong with it."""
    if not isinstance(value, bool):
        raise SettingError(f"{name} must be True or False, not {value!r}")
    return value
