"""torch's build, threads and devices as the doctor sees them."""

import os
import subprocess
import sys

import pytest
import torch

from glassformer.machine.torch_build import (
    check_device,
    check_threads,
    check_torch,
    device_names,
    largest_difference_from_cpu,
)


def test_the_torch_that_runs_is_reported_well() -> None:
    check = check_torch()
    assert check.state == "well"
    assert check.facts["version"] == str(torch.__version__)


def test_a_torch_too_old_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.5.1+cpu")
    check = check_torch()
    assert check.state == "wrong"
    assert "older than 2.6" in check.found
    assert "pip install" in check.advice


def test_there_is_always_a_cpu() -> None:
    assert device_names()[-1] == "cpu"
    assert check_device("cpu").state == "well"


def test_a_device_that_fails_is_reported_not_raised() -> None:
    # The meta device holds no numbers: nothing can be brought back from it.
    check = check_device("meta")
    assert check.state == "wrong"
    assert "fails at a matrix product" in check.found


def test_a_device_that_calculates_like_the_cpu_does_not_differ() -> None:
    assert largest_difference_from_cpu("cpu") == 0.0


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core cannot be held back")
def test_a_limit_on_threads_is_pointed_out() -> None:
    code = "from glassformer.machine.torch_build import check_threads; print(check_threads().advice)"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "OMP_NUM_THREADS" in done.stdout


def test_threads_are_those_torch_was_set_to() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        assert check_threads().facts["threads"] == 3
    finally:
        torch.set_num_threads(before)
