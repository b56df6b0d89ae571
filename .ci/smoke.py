"""Use an installed overtone from outside its source tree: every command once, and the library."""

import os
import subprocess
from pathlib import Path

import overtone as ot

assert "site-packages" in ot.__file__, ot.__file__


def run(line: str) -> None:
    subprocess.run([os.environ["OVERTONE"], *line.split()], check=True, stdout=subprocess.DEVNULL)


ot.datasets.synthetic(users=300, items=120, ratings=9_000, seed=1).write("ratings.csv")
Path("me.csv").write_text("item,rating\ni001,5\ni002,1\n")
Path("pairs.csv").write_text("user,item\nu001,i003\nu002,i005\n")
for command in (
    "split ratings.csv --given-n 10 --seed 7 -o cut",
    "fit cut/train.csv -o model",
    "evaluate model cut/test.csv --json",
    "score model pairs.csv -o scores.csv",
    "recommend model --user u001",
    "recommend model --ratings me.csv",
    "recommend model --all -o lists.parquet",
    "explain model --user u001 --item i003",
    "rankers",
):
    run(command)
model = ot.load("model")
assert model.recommend("u001", n=3).height == 3
print(f"overtone {ot.__version__} works from its wheel")
