"""A run as one page that needs nothing else, and as Markdown."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from re import sub

from overtone.bench.tables import markdown
from overtone.errors import require_choice
from overtone.files import make_folder, replacing
from overtone.study.figures import draw
from overtone.study.results import Results
from overtone.study.run import Run
from overtone.study.tables import Table, tables

STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 1.6rem; margin: .5rem 0; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; }
.wide { overflow-x: auto; } p.note { font-size: .9rem; margin: .4rem 0 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--line); padding: .28rem .7rem; text-align: right; }
td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
table.words td, table.words th { white-space: normal; text-align: left; }
tr:hover td { background: var(--soft); } code { font-size: .95em; }
svg { max-width: 100%; height: auto; background: #fff; }
@media print { body { max-width: none; font-size: 11px; } tr { break-inside: avoid; } }
"""
CAPTIONS = {
    "neighbours": (
        "Neighbours",
        "NDCG@10 over the number of neighbours K, for each bound D on comparisons in the kd-tree.",
    ),
    "time": (
        "Quality and time",
        "NDCG@10 against seconds, each method from fast to slow; dashed: the Pareto front.",
    ),
}


def report(folders: Sequence[str | Path], out: str | Path) -> Path:
    """Write report.html, report.md and the figures of one or more runs into a folder; return the page."""
    results = Results.of([Run.read(folder) for folder in folders])
    place = make_folder(Path(out))
    if len(folders) == 1:
        results.keep_comparisons(Path(folders[0]))
    pictures = draw(results, place)
    found = list(tables(results).values())
    with replacing(place / "report.md") as part:
        part.write_text(as_markdown(results, found, pictures), encoding="utf-8")
    with replacing(place / "report.html") as part:
        part.write_text(as_html(results, found, pictures), encoding="utf-8")
    return place / "report.html"


def part(folder: str | Path, name: str = "quality") -> str:
    """Return one table of a run as Markdown."""
    found = tables(Results.of([Run.read(folder)]))
    table = found[require_choice("part", name, tuple(found))]
    return f"{markdown(table.header, table.body)}\n\n{table.note}"


def facts(results: Results) -> list[str]:
    """Say, in sentences, what a reader must know to trust the numbers or to make them again."""
    rows = results.rows
    seeds = sorted({row["seed"] for row in rows})
    machines = "; ".join(dict.fromkeys(row["machine"] for row in rows))
    versions = ", ".join(f"{name} {number}" for name, number in rows[0]["versions"].items())
    said = [
        f"Splits: given-N, seeds {seeds[0]} to {seeds[-1]}, the same for all; figures: seed {seeds[0]}.",
        f"Definition: {rows[0]['definition']}. Only a user's own test items are ranked.",
        "A method that ends on -tuned chooses its settings inside each split's training ratings.",
        f"Machine: {machines}. Python {rows[0]['python']}, {versions}.",
    ]
    made = sorted({row["data"] for row in rows if row["data"].startswith("synthetic")})
    said += [f"{', '.join(made)}: ratings that the package makes itself."] if made else []
    said += [f"Not finished: {results.left:,} cases are still to be measured."] if results.left else []
    said += [f"Absent: {name}, {why}." for name, why in results.plan["absent"].items()]
    return said + [
        f"Failed: {row['spec']} on {row['data']}, N = {row['n']}, seed {row['seed']}: {row['failed']}."
        for row in results.failures
    ]


def as_markdown(results: Results, found: Sequence[Table], pictures: Sequence[Path]) -> str:
    """Return the report as Markdown."""
    parts = ["# Benchmark", "\n".join(f"- {fact}" for fact in facts(results))]
    for table in found:
        parts += [f"## {table.title}", markdown(table.header, table.body), table.note]
    for path in pictures:
        title, caption = CAPTIONS[path.stem]
        parts += [f"## {title}", f"![{caption}]({path.name})", caption]
    return "\n\n".join(parts) + "\n"


def as_html(results: Results, found: Sequence[Table], pictures: Sequence[Path]) -> str:
    """Return the report as one page, pictures inside."""
    body = ["<h1>Benchmark</h1>", "<ul>", *(f"<li>{_text(fact)}</li>" for fact in facts(results)), "</ul>"]
    for table in found:
        body += [f"<h2>{escape(table.title)}</h2>", _table(table), f'<p class="note">{_text(table.note)}</p>']
    for path in pictures:
        svg = path.read_text(encoding="utf-8")
        title, caption = CAPTIONS[path.stem]
        body += [f"<h2>{title}</h2>", svg[svg.index("<svg") :], f'<p class="note">{caption}</p>']
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    title = "<title>overtone benchmark</title>"
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}{title}<style>{STYLE}</style></head>\n<body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _table(table: Table) -> str:
    words = ' class="words"' if table.title == "Not told apart" else ""
    head = "".join(f"<th>{_text(name)}</th>" for name in table.header)
    rows = ["<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in table.body]
    whole = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<div class="wide"><table{words}>{whole}</table></div>'


def _text(text: str) -> str:
    """Escape, then show bold and code as Markdown means them."""
    safe = escape(text, quote=False)
    return sub(r"`([^`]+)`", r"<code>\1</code>", sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe))
