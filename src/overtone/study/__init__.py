"""The paper's tables and figures again, and a fairer table beside them: a run is a folder with a page."""

from overtone.study.plan import Case, Plan, everything, paper, quick
from overtone.study.report import part, report
from overtone.study.run import Run, carry_out

__all__ = ["Case", "Plan", "Run", "carry_out", "everything", "paper", "part", "quick", "report"]
