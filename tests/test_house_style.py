"""The budgets and layers that keep the house small."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import overtone

ROOT = Path(overtone.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
ROOMS = ["errors", "kernels", "parallel", "files", "ids", "ratings", "splits", "metrics", "datasets"]
ROOMS += ["graph", "harmonic", "factors", "models", "rankers", "peers", "bench", "study", "cli", "serve"]
VAGUE = {"utils", "util", "helpers", "helper", "core", "common", "misc"}
FUNCTION, FILE, NAMES, DEEP = 40, 300, 25, 2


def name_of(path):
    return str(path.relative_to(ROOT))


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def lines_of_code(function, source):
    """Lines of the body that are neither docstring, blank nor comment."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return 0
    lines = source[body[0].lineno - 1 : function.end_lineno]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_is_short_and_has_a_room(path):
    assert len(path.read_text().splitlines()) <= FILE
    parts = path.relative_to(ROOT).with_suffix("").parts
    assert len(parts) <= DEEP
    assert not VAGUE & set(parts)
    assert parts[0] in {*ROOMS, "__init__", "__main__"}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_functions_are_short(path):
    source = path.read_text().splitlines()
    long = [
        (one.name, lines_of_code(one, source))
        for one in functions(ast.parse(path.read_text()))
        if lines_of_code(one, source) > FUNCTION
    ]
    assert long == []


def test_most_functions_are_very_short():
    counts = []
    for path in FILES:
        text = path.read_text()
        counts += [lines_of_code(one, text.splitlines()) for one in functions(ast.parse(text))]
    counts.sort()
    assert counts[len(counts) // 2] <= 7
    assert counts[int(0.9 * len(counts))] <= 25


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.parent != ROOT or path.stem in ROOMS], ids=name_of
)
def test_imports_point_upward(path):
    own = ROOMS.index(path.relative_to(ROOT).with_suffix("").parts[0])
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            parts = name.split(".")
            if parts[0] == "overtone" and len(parts) > 1:
                assert ROOMS.index(parts[1]) <= own, f"{name} is below {ROOMS[own]}"


def test_every_module_is_imported_and_the_public_names_are_what_is_said():
    for module in pkgutil.walk_packages(overtone.__path__, "overtone."):
        if module.name != "overtone.__main__":
            importlib.import_module(module.name)
    assert len(overtone.__all__) <= NAMES
    assert all(getattr(overtone, name) is not None for name in overtone.__all__)
    assert dir(overtone) == sorted(overtone.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        overtone.nothing  # noqa: B018 - looking is the point


def test_the_names_for_type_checkers_are_the_public_names():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    names = {
        alias.asname for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert names == set(overtone.__all__)


@pytest.mark.parametrize("path", [path for path in FILES if "cli" not in path.parts], ids=name_of)
def test_the_library_is_silent(path):
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not [one for one in calls if isinstance(one, ast.Name) and one.id == "print"]


def test_importing_overtone_imports_nothing_heavy():
    heavy = "{'numpy', 'numba', 'polars', 'scipy'}"
    program = f"import sys, overtone, overtone.cli.app; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
