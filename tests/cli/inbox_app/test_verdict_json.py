"""Verdicts that the inbox sends to a server: it reads each of them as the one that was given."""

import json

import pytest
from pydantic import TypeAdapter

from assent import answer, approve, cancel, did_not_run, fail, ran, reject, run_again, supply
from assent.cli.inbox_app.remote_backend import verdict_json
from assent.domain.decisions import Approve, Give, Verdict
from assent.domain.verdicts import VERDICTS, name_of
from assent.server.api import verdicts as api

GIVEN = (
    approve(),
    approve(typed="db1"),
    approve({}),
    approve(edit={"path": "a.txt"}, typed="a.txt"),
    Approve(arguments={"path": "a.txt"}, runs="0" * 64),
    reject(),
    reject("Not that file."),
    answer(company="4620816365"),
    Give(values={"company": ""}, partial=True, seen=0),
    answer(company="1").keeping("person").accepting("country"),
    supply(None),
    supply({"path": "a.txt"}),
    fail("Nobody is there."),
    cancel("No longer wanted."),
    ran(),
    ran(0),
    did_not_run("The power was cut."),
    run_again(typed="db1"),
)


@pytest.mark.parametrize("verdict", GIVEN, ids=repr)
def test_a_server_reads_the_verdict_that_was_given(verdict: Verdict) -> None:
    body = json.loads(json.dumps({**verdict_json(verdict), "digest": "0" * 64}))
    said = TypeAdapter[api.Spoken](api.Verdict).validate_python(body)
    assert api.verdict_of(said) == verdict


def test_all_verdicts_are_sent() -> None:
    assert {name_of(verdict) for verdict in GIVEN} == {row.name for row in VERDICTS}
