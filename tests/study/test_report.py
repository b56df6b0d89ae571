import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from overtone.errors import DataError
from overtone.study import Plan, Run, carry_out, part, report
from overtone.study.figures import front
from overtone.study.plan import jobs_of
from overtone.study.printed import RESULTS, SIZES
from overtone.study.results import Results
from overtone.study.tables import beside_the_paper, quality, sizes, title_of
from tables import long_ratings

CURVE = tuple(f"ldm-paper:neighbors={k},comparisons={d}" for k in (2, 4) for d in (8, 16))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    path = folder / "ratings.csv"
    long_ratings().write(path)
    cloud = ("bias:item_damping=1", "bias:item_damping=50", "item-mean:")
    plan = Plan(
        "all", jobs_of([str(path)], [5]), 3, ("random", "bias"), CURVE, cloud, {"gone": "no such library"}
    )
    return carry_out(plan, folder / "run", "", lambda *_: None)


def made_up(rows, **plan):
    """A run that was never carried out, with the rows given."""
    plan = {
        "kind": "all",
        "jobs": [],
        "seeds": 1,
        "table": list(dict.fromkeys(row["spec"] for row in rows)),
        "curve": [],
        "cloud": [],
        "absent": {},
    } | plan
    return Run(Path("nowhere"), plan, rows)


def row(spec, ndcg, seed=0, data="ml-1m", n=10):
    sizes = [6_040, 3_706, 1_000_209]
    return {
        "data": data, "n": n, "seed": seed, "spec": spec, "ndcg": ndcg, "sizes": sizes,
        "seconds": {"fit": 1.5, "score": 0.5}, "peak_mb": 100.0,
    }  # fmt: skip


def test_the_page_needs_nothing_else_and_is_whole(run, tmp_path):
    page = report([run.folder], tmp_path / "out").read_text()
    HTMLParser().feed(page)
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert [link for link in links if not link.startswith("#")] == []
    assert "url(http" not in page
    assert page.count("<svg") == page.count("</svg>") == 2
    for word in ("NDCG@10", "seeds 0 to 2", "Machine:", "Holm", "gone, no such library", "viewport"):
        assert word in page
    for name in ("neighbours", "time"):
        ET.parse(tmp_path / "out" / f"{name}.svg")  # noqa: S314 - our own picture
        assert (tmp_path / "out" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    text = (tmp_path / "out" / "report.md").read_text()
    assert "| `bias` |" in text
    assert not list((tmp_path / "out").glob("*.part"))
    assert "Not finished" not in page


def test_the_same_run_gives_the_same_page(run, tmp_path):
    pages = [report([run.folder], tmp_path / name).read_bytes() for name in ("one", "two")]
    assert pages[0] == pages[1]


def test_a_run_that_is_not_finished_says_so(run, tmp_path):
    copytree(run.folder, tmp_path / "copy")
    lines = (tmp_path / "copy" / "cases.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "copy" / "cases.jsonl").write_text("".join(lines[:-3]))
    assert "Not finished: 3 cases" in report([tmp_path / "copy"], tmp_path / "out").read_text()


def test_two_runs_are_one_report(run, tmp_path):
    data, n = run.plan["jobs"][0]
    other = Plan("all", ((data, n),), 3, ("item-mean", "bias"))
    carry_out(other, tmp_path / "other", "", lambda *_: None)
    merged = Results.of([run, Run.read(tmp_path / "other")])
    assert merged.methods((data, n)) == ["random", "bias", "item-mean"]
    assert len(merged.comparisons[data, n]) == 3
    assert len(merged.of_case((data, n), "bias")) == 3
    with pytest.raises(DataError, match="nothing to report yet"):
        Results.of([made_up([])])


def test_comparisons_outlive_the_numbers_of_users(run, tmp_path):
    copytree(run.folder, tmp_path / "copy")
    page = report([tmp_path / "copy"], tmp_path / "out").read_text()
    rmtree(tmp_path / "copy" / "users")
    assert report([tmp_path / "copy"], tmp_path / "again").read_text() == page
    assert len(Results.of([Run.read(tmp_path / "copy")]).comparisons) == 1


def test_one_table_of_a_run_is_printed(run, run_bench):
    code, out, _ = run_bench("table", str(run.folder))
    assert code == 0
    assert out == part(run.folder, "quality") + "\n"
    assert "| `bias` |" in out
    code, _, err = run_bench("table", str(run.folder), "--part", "best")
    assert (code, "part must be one of data, quality, cost, undecided, not 'best'" in err) == (1, True)


def test_our_numbers_stand_beside_the_papers():
    results = Results.of([made_up([row("altsvm", 0.67), row("altsvm", 0.68, seed=1), row("bias", 0.75)])])
    (line,) = beside_the_paper(results).body
    assert line == ["ml-1m, N = 10, AltSVM (`altsvm`)", "0.6750 ± 0.0050", "0.6680", "2.00", "3.6"]
    assert sizes(results).body == [["ml-1m, N = 10", "6,040", "3,706", "1,000,209", "the same"]]
    assert RESULTS["ml-1m", 50, "ranksvd"].ndcg == 0.6178
    assert SIZES["ml-100k", 20] == (744, 1_682, 95_269)


def test_nothing_is_bold_where_users_were_not_kept():
    results = Results.of([made_up([row("altsvm", 0.9), row("bias", 0.1)])])
    assert not any("**" in cell for line in quality(results).body for cell in line)


def test_made_data_is_marked():
    assert title_of(("synthetic", 10)) == "synthetic ratings, N = 10"
    assert title_of(("synthetic-10m", 10)) == "synthetic-10m (synthetic ratings), N = 10"
    assert title_of(("my.csv", 5)) == "my.csv, N = 5"


def test_the_front_has_what_nothing_is_faster_and_as_good_as():
    points = [(1.0, 0.5), (2.0, 0.4), (2.0, 0.7), (3.0, 0.7), (0.5, 0.1), (4.0, 0.9)]
    assert front(points) == [(0.5, 0.1), (1.0, 0.5), (2.0, 0.7), (4.0, 0.9)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("report", "none", "-o", "out"), "none is no run of overtone bench paper or all"),
        (("report", ".", "-o", "ratings.csv"), "ratings.csv is a file; give a folder"),
        (("paper", "--data", "ml-2m", "-o", "out"), "2m"),
        (("all", "--ratings", "none.csv", "-o", "out"), "there is no file none.csv"),
        (
            ("all", "--ratings", "ratings.csv", "--n", 50, "-o", "out"),
            "given-50 needs users with at least 60",
        ),
        (("paper", "--seeds", 0, "-o", "out"), "seeds must be at least 1, not 0"),
        (("paper", "--n", 0, "-o", "out"), "n must be at least 1, not 0"),
    ],
)
def test_mistakes_are_one_sentence(run_bench, tmp_path, words, sentence):
    code, _, err = run_bench(*words)
    assert code == 1
    assert not (tmp_path / "out").exists()
    assert sentence in err
    assert "Traceback" not in err
