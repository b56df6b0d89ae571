"""overtone rankers."""

import typer

from overtone.cli.console import Json, print_json


def rankers(*, json: Json = False) -> None:
    """List every ranker with its settings and their defaults."""
    from overtone.rankers import PRESETS  # noqa: PLC0415 - after --help

    if json:
        print_json(
            {
                name: {"about": one.about, "settings": one.defaults(), "grid": dict(one.grid)}
                for name, one in PRESETS.items()
            }
        )
        return
    for name, one in PRESETS.items():
        typer.echo(f"{name}: {one.about}")
        settings = [f"{key}={_text(value)}" for key, value in one.defaults().items()]
        if settings:
            typer.echo(f"    {' '.join(settings)}")
        tried = [f"{key}={','.join(_text(value) for value in values)}" for key, values in one.grid.items()]
        if tried:
            typer.echo(f"    tuning tries {' '.join(tried)}")


def _text(value: object) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
