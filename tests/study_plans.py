"""Plans of small studies that several tests run."""

from dataclasses import replace
from pathlib import Path

import duckdb

import polyroc as pr

HERE = Path(__file__).parent  # where plans find the modules of learners


BLOBS = {"name": "blobs", "call": "study_learners:blobs"}


def plan(*learners, folder=HERE, **more):
    """A quick plan with learners of `study_learners`, by name or as tables."""
    tables = [
        {"name": learner, "class": f"study_learners:{learner}"} if isinstance(learner, str) else learner
        for learner in learners
    ]
    table = {"data": [BLOBS], "splitting": {"folds": 4}, "learners": tables, **more}
    return replace(pr.Plan.from_dict(table), folder=folder)


def content(path):
    """Everything in a store but times and versions, as bytes."""
    tables = {
        "plan": "digest",
        "data_sets": "*",
        "learners": "*",
        "blocks": "*",
        "fits": "data_set, learner, block, probabilities, failure",
    }
    with duckdb.connect(str(path), read_only=True) as store:
        rows = {
            name: store.execute(f"SELECT {columns} FROM polyroc_study.{name} ORDER BY ALL").fetchall()
            for name, columns in tables.items()
        }
    return repr(rows).encode()
