"""What holds for every test: types are checked while it runs, workers keep to one thread, hypothesis takes its time."""

import dataclasses
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from beartype import BeartypeConf
from beartype.claw import beartype_package
from hypothesis import settings

if TYPE_CHECKING:
    from glassformer.nn import Transformer

# Every annotation in the package is checked at every call, an int doing for a float as it does for mypy. Not in cli/,
# whose annotations name classes that it imports inside functions only, to answer --help at once; and not in
# nn/config.py, which checks its values itself, with better messages.
UNCHECKED = ("glassformer.cli", "glassformer.nn.config")
beartype_package("glassformer", conf=BeartypeConf(claw_skip_package_names=UNCHECKED, is_pep484_tower=True))

# Both before torch is imported. With a worker a core, threads would only fight.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# Some virtual machines announce AMX and then refuse it: the first bf16 product would kill the tests (`glassformer
# doctor` says so of a machine). AVX-512 gives the same results.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# Derandomized in CI, so that a red build is red again tomorrow; elsewhere new examples are tried every time.
settings.register_profile("glassformer", deadline=None, max_examples=30, derandomize="CI" in os.environ)
settings.load_profile("glassformer")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the decoder before the first test, once for all workers: it is announced on stderr, which tests read."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        from glassformer.fast.compiled.library import library

        library()


@pytest.fixture(scope="session")
def untyped() -> "Callable[[Transformer], Transformer]":
    """Return a function that rebuilds a model, weights included, without the type checks.

    torch.compile and torch.export cannot see through those. The model comes from the same files, loaded a second time
    under another name.
    """
    folder = Path(__file__).parents[1] / "src" / "glassformer" / "nn"
    spec = importlib.util.spec_from_file_location("untyped_nn", folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["untyped_nn"] = module
    spec.loader.exec_module(module)

    def rebuild(model: "Transformer") -> "Transformer":
        twin: Transformer = module.Transformer(module.ModelConfig(**dataclasses.asdict(model.config)))
        twin.load_state_dict(model.state_dict())
        return twin.train(model.training)

    return rebuild


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a real Chromium, without a window.

    One a file and not one a session: while playwright is there, no other test can run an event loop of its own.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()
