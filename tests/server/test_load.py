"""Two hundred clients at once: no error, and nobody's answer depends on who else asks. No speed is asked for here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_two_hundred_clients_get_no_error_and_no_wrong_answer() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "server_load.py"), "--seconds", "10", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["clients"] == 200
    assert found["errors"] == {}
    assert found["wrong"] == 0, found["wrong_examples"]
    assert found["requests"] >= 200
    assert found["texts_a_batch"] > 4, "requests that arrive together are not decoded together"
    # Near-ties are rare, or they are none.
    assert found["near_ties"] <= found["requests"] / 100
