"""A ranker from its name and settings, which may be texts."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from overtone.errors import SettingError
from overtone.rankers.presets import PRESETS
from overtone.rankers.ranker import Ranker


def make_ranker(name: str, settings: Mapping[str, Any] | None = None) -> Ranker:
    """Build a ranker by its name, with some settings changed; texts are read as the setting's type."""
    if not isinstance(name, str) or name not in PRESETS:
        raise SettingError(
            f"there is no ranker {name!r}{_close(str(name), PRESETS)}; there are {', '.join(PRESETS)}"
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
