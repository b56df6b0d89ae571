"""The rankers by name, and settings from texts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from overtone.errors import SettingError
from overtone.rankers.altsvm import AltSVM
from overtone.rankers.bias import Bias
from overtone.rankers.itemwise import ItemMean, Popularity
from overtone.rankers.ldm import LDM
from overtone.rankers.ranker import Ranker
from overtone.rankers.uniform import Random


@dataclass(frozen=True, slots=True)
class Preset:
    """A ranker under a name, with the settings that differ from its own defaults."""

    ranker: type[Any]
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def defaults(self) -> dict[str, Any]:
        """Return every setting and its value."""
        return {one.name: one.default for one in fields(self.ranker)} | dict(self.settings)


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "ldm": Preset(
            LDM, "harmonic extension of each user's surplus over similar items: the best settings found"
        ),
        "ldm-paper": Preset(
            LDM,
            "the paper's settings: raw ratings over similar users found by a kd-tree, mu 1",
            LDM.paper_settings(),
        ),
        "altsvm": Preset(AltSVM, "pairwise support vector machines by turns, the authors' settings"),
        "bias": Preset(Bias, "mean, user offset and item offset, damped: the bar to pass"),
        "item-mean": Preset(ItemMean, "the mean of an item's ratings"),
        "popularity": Preset(Popularity, "the number of an item's ratings"),
        "random": Preset(Random, "chance"),
    }
)


def make_ranker(name: str, settings: Mapping[str, Any] | None = None) -> Ranker:
    """Build a ranker by its name, with some settings changed; texts are read as the setting's type."""
    if name not in PRESETS:
        raise SettingError(
            f"there is no ranker {name!r}{_close(name, PRESETS)}; there are {', '.join(PRESETS)}"
        )
    preset = PRESETS[name]
    defaults = preset.defaults()
    chosen = dict(preset.settings)
    for key, value in (settings or {}).items():
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise SettingError(f"{name} has no setting {key!r}{_close(key, defaults)}; its settings: {known}")
        chosen[key] = _read(key, value, defaults[key]) if isinstance(value, str) else value
    ranker: Ranker = preset.ranker(**chosen)
    return ranker


def _read(key: str, text: str, default: Any) -> Any:
    """Read a text as the type of the setting's default."""
    if isinstance(default, bool):
        if text.lower() in ("true", "yes", "on", "1"):
            return True
        if text.lower() in ("false", "no", "off", "0"):
            return False
        raise SettingError(f"{key} must be true or false, not {text!r}")
    if isinstance(default, str):
        return text
    try:
        return type(default)(text)
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise SettingError(f"{key} must be {kind}, not {text!r}") from None


def _close(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
