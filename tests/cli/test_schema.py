"""`schema`: what it prints holds for what the other verbs print."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from replanctl.cli.verbs.schema import Name
from tests.cli.conftest import Cli, Done


def printed(cli: Cli, name: str) -> Draft202012Validator:
    done = cli("schema", name)
    assert (done.code, done.err, done.out[-3:]) == (0, "", "\n}\n")
    schema: dict[str, Any] = json.loads(done.out)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", Name)
def test_every_document_has_a_schema(cli: Cli, name: Name) -> None:
    assert printed(cli, name).schema["title"]


@pytest.mark.parametrize("outcomes", ["shape.yaml", "denied.yaml"])
def test_what_run_and_show_print_is_valid(cli: Cli, outcomes: str) -> None:
    document, event = printed(cli, "result"), printed(cli, "event")
    assert document.is_valid(json.loads(cli("run", "plan.yaml", "--outcomes", outcomes, "--format", "json").out))
    assert document.is_valid(json.loads(cli("show", "--format", "json").out))
    lines = cli("run", "plan.yaml", "--outcomes", outcomes, "--format", "jsonl").out.splitlines()
    assert [line for line in lines if not event.is_valid(json.loads(line))] == []


def test_what_there_is_no_schema_of(cli: Cli) -> None:
    names = "result, event, plan, outcomes, policy, question, matrix, tune, compare, stats"
    assert cli("schema", "plans") == Done(
        2, "", f"replanctl: Invalid value for 'NAME': 'plans' is not one of {names}\n  replanctl schema --help\n"
    )
