"""step.cpp and the library made of it: its products and choices are torch's; without a compiler nothing is lost."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from glassformer.fast import FastEngine
from glassformer.fast.compiled import library as library_module
from glassformer.fast.compiled.library import (
    compile_into,
    failed,
    find_library,
    kept_file,
    library,
    load,
    must_be_compiled,
)
from glassformer.fast.compiled.linear import CompiledLinear
from glassformer.fast.compiled.stepper import CompiledDecoder, CompiledStepper
from glassformer.fast.engine import compiled_steppers
from glassformer.fast.weights import TransformerWeights
from glassformer.machine.compiler import find_compiler
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import TorchEngine, TorchStepper

from .breaking import compile_broken
from .models import VARIANTS, make_model, sources_for
from .walk import assert_same_walk

needs_compiler = pytest.mark.skipif(library() is None, reason="no C++ compiler here")
needs_int8 = pytest.mark.skipif(
    (functions := library()) is None or not functions.has_int8(), reason="this processor does not multiply bytes"
)


def linear(weight: Tensor, bias: Tensor | None, *, in_bytes: bool = False) -> CompiledLinear:
    functions = library()
    assert functions is not None
    return CompiledLinear(functions, weight, bias, in_bytes=in_bytes)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@needs_compiler
@given(st.integers(0, 15), st.integers(1, 70), st.integers(1, 140), st.booleans())
def test_a_product_is_torchs(n_rows: int, n_inputs: int, n_outputs: int, with_bias: bool) -> None:
    rows, weight = numbers(n_rows, n_inputs), numbers(n_outputs, n_inputs, seed=1)
    bias = numbers(n_outputs, seed=2) if with_bias else None
    assert_close(linear(weight, bias)(rows), F.linear(rows, weight, bias), rtol=1e-4, atol=1e-4)


@needs_compiler
def test_many_rows_pass_the_cache_in_pieces() -> None:
    rows, weight = numbers(1200, 600), numbers(70, 600, seed=1)
    assert rows.numel() * 4 > 2**20
    assert_close(linear(weight, None)(rows), F.linear(rows, weight), rtol=1e-4, atol=1e-4)


@needs_int8
@given(st.integers(1, 15), st.integers(1, 70), st.integers(1, 140))
def test_a_product_in_bytes_is_the_rounded_one(n_rows: int, n_inputs: int, n_outputs: int) -> None:
    rows, weight, bias = numbers(n_rows, n_inputs), numbers(n_outputs, n_inputs, seed=1), numbers(n_outputs, seed=2)
    row_scale, scale = (m.abs().amax(dim=1, keepdim=True) / 127 for m in (rows, weight))
    exact = F.linear((rows / row_scale).round().double(), (weight / scale).round().double())
    expected = (exact * row_scale * scale.T + bias).float()
    assert_close(linear(weight, bias, in_bytes=True)(rows), expected, rtol=1e-3, atol=1e-3 * float(exact.abs().max()))


@needs_int8
def test_a_product_in_bytes_worked_by_hand() -> None:
    # Weights and rows that are whole steps of their scales: nothing is rounded.
    weight = torch.tensor([[127.0, -1.0, 2.0], [0.5, 0.0, -63.5]])
    rows = torch.tensor([[127.0, 3.0, -4.0], [0.0, 254.0, -2.0]])
    found = linear(weight, torch.tensor([10.0, -1.0]), in_bytes=True)(rows)
    assert_close(found, torch.tensor([[127 * 127 - 3 - 8 + 10.0, 63.5 + 4 * 63.5 - 1], [-254 - 4 + 10.0, 127 - 1.0]]))


@needs_int8
@pytest.mark.parametrize("in_bytes", [False, True])
def test_a_row_is_the_same_to_the_last_bit_whoever_stands_beside_it(in_bytes: bool) -> None:
    product = linear(numbers(150, 96), numbers(150, seed=1), in_bytes=in_bytes)
    rows = numbers(20, 96, seed=2) * torch.logspace(-6, 6, 20)[:, None]
    together = product(rows)
    for i in range(20):
        assert torch.equal(together[i], product(rows[i : i + 1])[0])


@needs_int8
def test_a_row_of_zeros_gives_the_bias_and_an_output_without_weights_too() -> None:
    product = linear(torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.tensor([3.0, -2.0]), in_bytes=True)
    assert torch.equal(product(torch.zeros(1, 2))[0], torch.tensor([3.0, -2.0]))
    assert product(torch.ones(1, 2))[0, 1] == -2.0


@needs_compiler
@pytest.mark.parametrize("variant", ["paper", "marian", "modern", "learned positions", "gated gelu", "rotary"])
def test_beams_that_swap_and_sentences_that_leave_get_the_plain_steppers_log_probabilities(variant: str) -> None:
    model = make_model(**VARIANTS[variant])
    assert_same_walk(model, partial(stepper_of, model))


def stepper_of(model: torch.nn.Module, src: Tensor) -> CompiledStepper:
    functions = library()
    assert functions is not None
    stepper = compiled_steppers(model, "fp32", functions)(src)
    assert isinstance(stepper, CompiledStepper)
    return stepper


@needs_compiler
@given(st.integers(1, 9), st.sampled_from([7, 100, 2600]), st.integers(0, 100))
def test_the_best_tokens_are_those_of_a_whole_sort(k: int, n_tokens: int, seed: int) -> None:
    model = make_model(vocab_size=n_tokens)
    src, barred = torch.tensor([[4, 5, 3], [6, 3, 0]]), torch.tensor([0, 2, seed % n_tokens])
    with torch.inference_mode():
        best, ids = stepper_of(model, src).advance_to_best(torch.tensor([4, 5]), None, k, barred)
        log_probs = stepper_of(model, src).advance(torch.tensor([4, 5]), None)
    log_probs = log_probs.index_fill(1, barred, -torch.inf)
    expected = log_probs.sort(descending=True)
    n_possible = min(k, n_tokens - len(set(barred.tolist())))
    assert_close(best[:, :n_possible], expected.values[:, :n_possible], rtol=1e-4, atol=1e-4)
    assert_close(log_probs.gather(1, ids[:, :n_possible]), expected.values[:, :n_possible], rtol=1e-4, atol=1e-4)
    assert best.shape == (2, min(k, n_tokens))
    assert bool((best[:, n_possible:] == -torch.inf).all())


@needs_compiler
def test_weights_live_as_long_as_a_stepper_needs_them() -> None:
    model = make_model()
    with torch.inference_mode():
        expected = stepper_of(model, torch.tensor([[4, 3]])).start()
        stepper = stepper_of(model, torch.tensor([[4, 3]]))
        del model
        clutter = [torch.full((24, 24), 7.0) for _ in range(200)]
        assert_close(stepper.start(), expected)
    assert len(clutter) == 200


@needs_compiler
def test_what_is_not_a_number_is_never_chosen() -> None:
    model = make_model(vocab_size=150)
    with torch.no_grad():
        model.decoder.layers[-1].feed_forward_residual.norm.weight.fill_(3e38)
    with torch.inference_mode():
        best, ids = stepper_of(model, torch.tensor([[4, 5, 3]])).advance_to_best(
            torch.tensor([4]), None, 8, torch.tensor([0])
        )
    assert not bool(best.isfinite().any())
    assert int(ids.max()) < 150


@needs_compiler
def test_a_source_that_is_not_contiguous_is_read_right() -> None:
    model = make_model()
    src = torch.tensor([[4, 5, 3], [6, 3, 0]])
    with torch.inference_mode():
        assert_close(stepper_of(model, src.T.contiguous().T).start(), stepper_of(model, src).start())


@needs_compiler
def test_a_beam_too_wide_to_keep_in_order_is_left_to_torch() -> None:
    model, search = make_model(vocab_size=300), SearchConfig(beam_width=40, n_best=40, max_length=4)
    found, expected = (
        engine.search(sources_for(model), search) for engine in (FastEngine(model, compiled=True), TorchEngine(model))
    )
    for mine, theirs in zip(found, expected, strict=True):
        assert [one.score for one in mine] == pytest.approx([one.score for one in theirs], abs=1e-4)


@needs_compiler
def test_there_is_no_place_after_the_last() -> None:
    stepper = stepper_of(make_model(max_length=2), torch.tensor([[4, 3]]))
    with torch.inference_mode():
        stepper.start()
        stepper.advance(torch.tensor([4]), None)
        with pytest.raises(ValueError, match="max_length is 2; there is no place after that"):
            stepper.advance(torch.tensor([4]), None)


WITH_LITTLE_MEMORY = """
import resource, torch
from glassformer.fast.compiled.library import library
from glassformer.fast.compiled.linear import CompiledLinear
rows, weight = torch.ones(200_000, 64), torch.ones(64, 64)
linear = CompiledLinear(library(), weight, None, in_bytes=True)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 60_000_000, used + 60_000_000))
try:
    linear(rows)
except MemoryError as error:
    print(error)
"""


@needs_compiler
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell how much is used")
def test_too_little_memory_is_an_error_and_not_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", WITH_LITTLE_MEMORY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (
        0, "there is not enough memory for this batch; take a smaller one\n"
    ), done.stderr  # fmt: skip


# --------------------------------------------------------------------------------------------------- how it is made


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """As on a machine that has compiled nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    find_library.cache_clear()
    yield tmp_path
    find_library.cache_clear()


@needs_compiler
def test_it_is_compiled_once_and_kept_for_its_owner_alone(fresh: Path) -> None:
    assert must_be_compiled()
    assert library() is not None
    kept = kept_file()
    assert kept.parent == fresh / "cache" / "glassformer"
    assert kept.parent.stat().st_mode & 0o077 == 0
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    made = kept.stat().st_mtime_ns
    assert not must_be_compiled()
    find_library.cache_clear()
    assert library() is not None
    assert kept.stat().st_mtime_ns == made


@needs_compiler
@pytest.mark.parametrize("content", [b"", b"not a library"])
def test_a_kept_file_that_is_damaged_is_made_anew(fresh: Path, content: bytes) -> None:
    kept = kept_file()
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content)
    assert library() is not None
    assert kept.stat().st_size > 10_000


def fake_compiler(folder: Path, script: str) -> str:
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


# What a compiler may do wrong: refuse; make nothing; make what is no library; what kills the process that runs it.
BROKEN = {
    "refuses": ("exit 1", "compiler failed"),
    "makes nothing": ("exit 0", "does not work here"),
    "makes nonsense": ('for last; do :; done; echo nonsense > "$last"', "does not work here"),
    "kills": (
        'for last; do :; done; echo "void linear_new() { __builtin_trap(); }" | '
        f'{" ".join(find_compiler() or [])} -x c - -shared -fPIC -o "$last"',
        "does not work here",
    ),
}


@needs_compiler
@pytest.mark.parametrize(("script", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_compiler_that_does_not_work_is_tried_once_and_leaves_the_work_to_torch(
    fresh: Path, script: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", fake_compiler(fresh, script))
    assert must_be_compiled()
    assert library() is None
    assert reason in find_library().reason
    assert list(kept_file().parent.iterdir()) == [failed(kept_file())]
    assert not must_be_compiled()
    find_library.cache_clear()
    assert reason in find_library().reason
    model, search = make_model(), SearchConfig(beam_width=3, max_length=8)
    engine = FastEngine(model)
    assert not engine.is_compiled
    found, expected = (e.search(sources_for(model), search) for e in (engine, TorchEngine(model)))
    assert [one[0].ids for one in found] == [one[0].ids for one in expected]
    with pytest.raises(ValueError, match=f"compiled decoding in fp32 cannot be had here: .*{reason}"):
        FastEngine(model, compiled=True)


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.parametrize("way", ["not wanted", "no compiler", "no place to keep it", "no home", "another's folder"])
def test_where_it_cannot_be_had_torch_does_the_work(fresh: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "not wanted":
        monkeypatch.setenv("GLASSFORMER_COMPILE", "0")
    elif way == "no compiler":
        monkeypatch.delenv("CXX", raising=False)
        monkeypatch.setenv("PATH", str(fresh))
    elif way == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", no_home)
    elif way == "another's folder":
        (fresh / "cache" / "glassformer").mkdir(parents=True)
        (fresh / "cache" / "glassformer").chmod(0o777)
    else:
        (fresh / "cache").write_text("a file where a folder should be")
    assert library() is None
    assert find_library().reason
    assert not FastEngine(make_model()).is_compiled


@needs_compiler
def test_a_kept_file_that_others_may_write_to_is_not_loaded(fresh: Path) -> None:
    assert library() is not None
    kept_file().chmod(0o722)
    find_library.cache_clear()
    assert library() is None
    assert find_library().reason == f"others may write to {kept_file()}"


@needs_compiler
def test_a_kept_library_without_our_functions_is_not_used(fresh: Path) -> None:
    kept_file().parent.mkdir(parents=True, mode=0o700)
    compiler = find_compiler()
    assert compiler is not None
    command = [*compiler, "-x", "c", "-", "-shared", "-fPIC", "-o", str(kept_file())]
    subprocess.run(command, input=b"void nothing() {}", check=True)
    kept_file().chmod(0o700)
    assert library() is None
    assert "cannot be kept or loaded" in find_library().reason


def test_a_relative_cache_folder_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("CXX", "/bin/false")
    assert kept_file().parent == tmp_path / ".cache" / "glassformer"


@needs_compiler
def test_a_file_of_the_current_folder_is_not_run_while_it_is_made(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fresh / "ctypes.py").write_text("open('run', 'w')")
    monkeypatch.chdir(fresh)
    assert library() is not None
    assert not (fresh / "run").exists()


@needs_compiler
def test_the_source_compiles_without_a_warning(tmp_path: Path) -> None:
    compiler = find_compiler()
    assert compiler is not None
    command = [*compiler, *library_module.flags(), "-Wall", "-Wextra", "-Werror"]
    sources = [str(library_module.FOLDER / name) for name in library_module.SOURCES]
    done = subprocess.run([*command, *sources, "-o", str(tmp_path / "made.so")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@needs_compiler
@pytest.mark.parametrize("instructions", ["x86-64-v3", "x86-64"])
def test_a_lesser_processor_gets_the_same_products(
    instructions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "-march=native" not in library_module.flags():
        pytest.skip("not a processor of this family")
    best = library()
    assert best is not None
    lesser = tuple(flag.replace("native", instructions) for flag in library_module.flags())
    monkeypatch.setattr(library_module, "flags", lambda: lesser)
    compile_into(tmp_path / "made.so")
    functions = load(tmp_path / "made.so")
    rows, weight, bias = numbers(13, 37), numbers(90, 37, seed=1), numbers(90, seed=2)
    assert_close(CompiledLinear(functions, weight, bias, in_bytes=False)(rows), F.linear(rows, weight, bias))
    in_bytes = [CompiledLinear(made, weight, bias, in_bytes=True)(rows) for made in (functions, best)]
    assert_close(*in_bytes)
    model, src = make_model(), torch.tensor([[4, 5, 3], [6, 3, 0]])

    def make(weight: Tensor, bias: Tensor | None) -> CompiledLinear:
        return CompiledLinear(functions, weight, bias, in_bytes=False)

    with torch.inference_mode():
        stepper = CompiledStepper(CompiledDecoder(functions, TransformerWeights(model, make)), src)
        assert_close(stepper.start(), TorchStepper(model, src).start(), rtol=1e-4, atol=1e-4)


MISTAKES = {
    "parents forgotten": ("parents ? parents[row] : row", "parents && t < 2 ? parents[row] : row"),
    "another beam's past": (" + past[row * (t + 1) + k]", ""),
    "another sentence's past": ("places[k].first_row[sentences[row / beams]]", "places[k].first_row[sentences[0]]"),
    "sentences that stay forget where they stood": ("sentences[rows[i]]", "int(i)"),
    "padding seen": ("if (kept[row] < 0) return;", "if (kept[row] < 0) kept[row] = lengths[row / n_places]++;"),
    "weights that do not sum to one": ("row[k] /= sum", "row[k] /= 1"),
}


@needs_compiler
@pytest.mark.parametrize(("line", "broken"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_broken_line_is_caught(line: str, broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_broken("step.cpp", line, broken, tmp_path, monkeypatch)
    monkeypatch.setattr(f"{__name__}.library", lambda: load(tmp_path / "made.so"))
    with pytest.raises(AssertionError):
        test_beams_that_swap_and_sentences_that_leave_get_the_plain_steppers_log_probabilities("paper")
