"""Every command and example of the README is run, and its tables are those of the stored runs."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import overtone
from overtone.bench import TABLES
from overtone.study import part

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = (
    "scripts/",
    "overtone bench quality",
    "overtone bench speed",
)  # run by people and CI; takes minutes and MovieLens


def blocks(page, kind):
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def commands(page):
    """Each command with the output that the page shows for it."""
    for block in blocks(page, "console"):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = piece.partition("\n")
            if not command.startswith(ELSEWHERE):
                yield command, shown


def test_the_commands_of_the_readme_print_what_it_shows(tmp_path):
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    check = doctest.OutputChecker()
    ran = list(commands(ROOT / "README.md"))
    assert len(ran) >= 10
    for command, shown in ran:
        done = subprocess.run(  # noqa: S602 - the page's own commands
            command, shell=True, cwd=tmp_path, env=here, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        same = check.check_output(shown, done.stdout, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        assert same or not shown, f"{command} printed:\n{done.stdout}"


def test_the_python_of_the_readme_gives_what_it_shows():
    examples = blocks(ROOT / "README.md", "python")
    assert examples
    for text in examples:
        test = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def made_of(path, *words):
    """The table of a stored run, a folder or a file."""
    if (ROOT / path).is_dir():
        return part(ROOT / path, *words[1:])
    run = json.loads((ROOT / path).read_text(encoding="utf-8"))
    return TABLES[run["kind"]](run)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_what_the_stored_runs_say(page):
    text = page.read_text(encoding="utf-8")
    for path, shown in re.findall(
        r"<!-- overtone bench table (.+?) -->\n(.*?)<!-- end -->", text, flags=re.DOTALL
    ):
        assert shown.strip() == made_of(*path.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_functions_that_a_page_names_exist(page):
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in Path(overtone.__file__).parent.rglob("*.py")
    )
    for name in re.findall(r"`(?:[a-z_]+\.)+([A-Za-z_]+)`", page.read_text(encoding="utf-8")):
        assert re.search(rf"\b{name}\b", source), name
