"""Decoding a token at a time with a cache equals decoding at once without one."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from glassformer.nn import DecoderCache, Edits, Trace, Transformer

from .conftest import PRESETS, make

MODELS = {name: make(name) for name in PRESETS} | {"learned": make("vanilla-2017", positions="learned")}


def batch(
    model: Transformer, seed: int, rows: int, source_places: int, target_places: int
) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(4, 30, (rows, source_places), generator=generator)
    src[0, source_places - 1] = model.config.pad_id
    tgt = torch.randint(4, 30, (rows, target_places), generator=generator)
    tgt[:, 0] = model.config.decoder_start_id
    return src, tgt


@given(
    name=st.sampled_from(sorted(MODELS)),
    seed=st.integers(0, 2**31),
    cuts=st.lists(st.integers(1, 3), min_size=1, max_size=6),
)
def test_cached_equals_uncached_at_every_step_however_many_places_a_step_has(
    name: str, seed: int, cuts: list[int]
) -> None:
    model = MODELS[name]
    src, tgt = batch(model, seed, 3, 5, sum(cuts))
    memory, cache, start = model.encode(src), DecoderCache(model.config.n_decoder_layers), 0
    for n_places in cuts:
        end = start + n_places
        hidden = model.decode(tgt[:, start:end], memory, src, cache=cache)
        assert_close(hidden, model.decode(tgt[:, :end], memory, src)[:, start:], atol=1e-5, rtol=1e-5)
        start = end
    assert cache.length == sum(cuts)


@given(
    name=st.sampled_from(sorted(MODELS)), seed=st.integers(0, 2**31), n_steps=st.integers(2, 6), beams=st.integers(1, 4)
)
def test_cached_equals_uncached_while_beams_swap_and_sentences_leave(
    name: str, seed: int, n_steps: int, beams: int
) -> None:
    model = MODELS[name]
    generator = torch.Generator().manual_seed(seed)
    src, _ = batch(model, seed, 3, 5, 1)
    memory, cache = model.encode(src), DecoderCache(model.config.n_decoder_layers)
    so_far = torch.full((3, 1), model.config.decoder_start_id)  # a row a sentence, then `beams` rows a sentence
    for step in range(n_steps):
        cached = model.decode(so_far[:, -1:], memory, src, cache=cache)
        assert_close(cached, model.decode(so_far, memory, src)[:, -1:], atol=1e-5, rtol=1e-5)

        sentences, rows_each = src.size(0), so_far.size(0) // src.size(0)
        chosen = torch.randint(rows_each, (sentences, beams), generator=generator)
        parents = (torch.arange(sentences)[:, None] * rows_each + chosen).flatten()
        cache.reorder(parents)
        so_far = torch.cat((so_far[parents], torch.randint(4, 30, (sentences * beams, 1), generator=generator)), dim=1)
        if step == 1:
            stay = torch.tensor([2, 0])
            cache.keep(stay)
            src, memory = src[stay], memory[stay]
            so_far = so_far.unflatten(0, (3, beams))[stay].flatten(0, 1)


@pytest.mark.parametrize("name", PRESETS)
def test_what_the_encoder_gave_is_projected_once_and_never_copied_per_beam(name: str) -> None:
    model = MODELS[name]
    src, _ = batch(model, 0, 2, 5, 1)
    memory, cache = model.encode(src), DecoderCache(model.config.n_decoder_layers)
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    hooks = [layer.cross_attention.key.register_forward_hook(count) for layer in model.decoder.layers]
    for _ in range(3):
        model.decode(torch.full((2 if calls == 0 else 8, 1), 5), memory, src, cache=cache)
        if calls == 3 and cache.length == 1:
            cache.reorder(torch.tensor([0, 0, 0, 0, 1, 1, 1, 1]))
    for hook in hooks:
        hook.remove()
    assert calls == model.config.n_decoder_layers
    assert all(remembered.read()[0].size(0) == 2 for remembered in cache.cross_attention)
    assert all(remembered.read()[0].shape[:3] == (8, 3, 3) for remembered in cache.self_attention)


def test_a_step_records_what_the_whole_run_recorded_for_its_place(model: Transformer) -> None:
    src, tgt = batch(model, 1, 2, 5, 4)
    memory, cache = model.encode(src), DecoderCache(model.config.n_decoder_layers)
    whole = Trace()
    model.decode(tgt, memory, src, trace=whole)
    for place in range(4):
        step = Trace()
        model.decode(tgt[:, place : place + 1], memory, src, cache=cache, trace=step)
        assert_close(step.weights["decoder.1.cross"], whole.weights["decoder.1.cross"][:, :, place : place + 1])
        assert_close(
            step.weights["decoder.2.self"], whole.weights["decoder.2.self"][:, :, place : place + 1, : place + 1]
        )


def test_the_sentences_that_stay_may_be_named_by_true_and_false(model: Transformer) -> None:
    src, tgt = batch(model, 2, 3, 5, 2)
    caches = [DecoderCache(model.config.n_decoder_layers) for _ in range(2)]
    memory = model.encode(src)
    for cache, rows in zip(caches, (torch.tensor([True, False, True]), torch.tensor([0, 2])), strict=True):
        model.decode(tgt[:, :1], memory, src, cache=cache)
        cache.keep(rows)
    for by_mask, by_number in zip(caches[0].self_attention, caches[1].self_attention, strict=True):
        assert (by_mask.read()[0] == by_number.read()[0]).all()


def test_edits_hold_in_cached_decoding_too(model: Transformer) -> None:
    src, tgt = batch(model, 3, 2, 5, 4)
    edits = Edits(heads_off={"decoder.1.cross": [1]}, layers_skipped=["decoder.0"], source_hidden=[1])
    memory, cache = model.encode(src, edits=edits), DecoderCache(model.config.n_decoder_layers)
    whole = model.decode(tgt, memory, src, edits=edits)
    for place in range(4):
        step = model.decode(tgt[:, place : place + 1], memory, src, cache=cache, edits=edits)
        assert_close(step, whole[:, place : place + 1], atol=1e-5, rtol=1e-5)
