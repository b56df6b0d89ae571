import sys

import pytest

from overtone.cli import main
from tables import long_ratings


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    long_ratings().write("ratings.csv")

    def runner(*words):
        monkeypatch.setattr(sys, "argv", ["overtone", "bench", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code or 0, *capsys.readouterr()

    return runner
