"""What `import assent` loads: it takes less than 0.3 s by what it leaves for later.

A test of seconds would fail on a busy machine and pass on a fast one; these fail on both.
"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import assent

# With what these load themselves.
PACKAGES = {
    *("cryptography", "_cffi_backend", "_openssl"),
    *("docstring_parser", "msgspec", "re2", "rfc8785"),
    *("pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"),
}
LAYERS = {"app", "domain", "engine", "errors", "ports"}
# Of these layers: what only cards, pages, the record and archives need.
LATER = {
    *("assent.domain.cards", "assent.domain.insights"),
    *("assent.domain.credentials", "assent.domain.paging", "assent.domain.record"),
    *(
        "assent.engine.transfer.format",
        "assent.engine.transfer.export",
        "assent.engine.people.directory",
    ),
    *("assent.engine.queries.record", "assent.engine.transfer.imported_calls"),
    *(
        "assent.engine.people.links",
        "assent.engine.queries.listing",
        "assent.engine.people.accounts",
    ),
    *("assent.engine.queries.review", "assent.engine.people.sessions"),
    "assent.engine.transfer.transfer",
}
# Python writes and compiles each of them: half a millisecond on a fast machine, and of all that
# `import assent` does the largest part. Load what only some need where they need it.
DATACLASSES = 131

PROGRAM = """
import json, sys
from dataclasses import is_dataclass

before = set(sys.modules)
import assent

modules = sorted(set(sys.modules) - before)
classes = {
    value
    for name in modules if name.startswith("assent")
    for value in vars(sys.modules[name]).values() if isinstance(value, type)
}
ours = [each for each in classes if each.__module__.startswith("assent") and is_dataclass(each)]
print(json.dumps({"modules": modules, "dataclasses": len(ours)}))
"""


@cache
def imported() -> dict[str, Any]:
    """What `import assent` does in a fresh interpreter."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    return json.loads(ran.stdout)


def test_importing_assent_loads_no_package_that_it_can_do_without():
    names = {name.partition(".")[0] for name in imported()["modules"]}
    foreign = names - {*sys.stdlib_module_names, "assent"}

    # Python's own facts about its build, under a name of the platform.
    assert {name for name in foreign if not name.startswith("_sysconfigdata")} <= PACKAGES


def test_importing_assent_loads_only_what_a_program_without_pages_needs():
    ours = {name for name in imported()["modules"] if name.startswith("assent.")}

    assert {name.split(".")[1] for name in ours} == LAYERS
    assert ours & LATER == set()


def test_importing_assent_builds_no_more_classes_than_there_is_time_for():
    assert imported()["dataclasses"] <= DATACLASSES


def test_what_is_left_for_later_is_there_to_be_loaded():
    source = Path(assent.__file__).parents[1]

    for name in LATER:
        assert (source / f"{name.replace('.', '/')}.py").is_file(), name
