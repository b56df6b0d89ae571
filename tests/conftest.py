import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from overtone.cli import main
from tables import long_ratings

# A first call compiles its kernels, so that no deadline holds; and a test leaves nothing on disk.
slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("house", deadline=None, database=None, max_examples=60, suppress_health_check=slow)
settings.register_profile("ci", settings.get_profile("house"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")


@pytest.fixture
def run_bench(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    long_ratings().write("ratings.csv")

    def runner(*words):
        monkeypatch.setattr(sys, "argv", ["overtone", "bench", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code or 0, *capsys.readouterr()

    return runner
