"""/openapi.json is true: schemathesis asks whatever it allows and much that it does not, and never finds a 500."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..served import Served
from .asking import access_log, ask

# What must hold for whatever is sent. (That every request that fits the schema is accepted does not: a language may
# fit and not be served. Nor that all others are refused: unknown fields are ignored, numbers may come as text.)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_every_route_says_what_it_takes_and_how_it_refuses(server: Served) -> None:
    paths = ask(server, "/openapi.json")[1]["paths"]
    assert {"/translate", "/detect", "/languages", "/health", "/frontend/settings", "/metrics"} <= paths.keys()
    assert {"/explain", "/page", "/model"} <= paths.keys()
    model = paths["/model"]["get"]
    assert [parameter["name"] for parameter in model["parameters"]] == ["source", "target", "api_key"]
    assert model["parameters"][1]["schema"]["enum"] == ["en", "hi"]
    assert {"408", "413"} <= model["responses"].keys()
    for path, methods in paths.items():
        for method, operation in methods.items():
            assert operation["responses"]["200"]["content"], path
            if method == "post":
                forms = operation["requestBody"]["content"]
                assert forms.keys() >= {"application/json", "application/x-www-form-urlencoded"}, path
                assert {"400", "403", "413"} <= operation["responses"].keys(), path
            if "503" in operation["responses"]:
                assert "Retry-After" in operation["responses"]["503"]["headers"], path
            assert "422" not in operation["responses"], f"{path}: that is FastAPI's form, which breaks clients"


@pytest.mark.slow
def test_schemathesis_finds_no_server_error_and_no_answer_that_is_not_described(server: Served, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json", "--checks", CHECKS]
    command += ["--max-examples", "25", "--seed", "1", "--no-color", "--request-timeout", "120"]
    command += [
        "--phases",
        "examples,coverage,fuzzing",
        "--generation-database",
        "none",
        "--suppress-health-check",
        "all",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    asked = re.search(r"(\d+) generated", done.stdout)
    assert asked, done.stdout[-2000:]
    assert int(asked.group(1)) >= 100
    assert not [line for line in access_log(server) if line["status"] >= 500]
