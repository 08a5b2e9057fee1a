"""Lines of the model broken on purpose, and the fast test that must notice each: run by test_breakages.py (long).

`python tests/breakages.py` prints the list as a table, for docs/results.md.
"""

from typing import NamedTuple


class Breakage(NamedTuple):
    """In `file` of nn/, `line` becomes `broken`, and `test` must fail."""

    what: str
    file: str
    line: str
    broken: str
    test: str


DOT = "tests/nn/test_dot_product.py::"
HEADS = "tests/nn/test_multi_head.py::"
MASKS = "tests/nn/test_masks.py::"
MODEL = "tests/nn/test_transformer.py::"
CACHE = "tests/nn/test_cache.py::"
TRACE = "tests/nn/test_trace.py::"
NORM = "tests/nn/test_norm.py::"
PLACES = "tests/nn/test_positions.py::"
LAYERS = "tests/nn/test_layers.py::"

BREAKAGES = [
    Breakage(
        "scores not divided by the root",
        "dot_product.py",
        "key.transpose(-2, -1) / math.sqrt(query.size(-1))",
        "key.transpose(-2, -1)",
        DOT + "test_attention_by_hand",
    ),
    Breakage(
        "root of the wrong size (keys, not width)",
        "dot_product.py",
        "math.sqrt(query.size(-1))",
        "math.sqrt(key.size(-2))",
        DOT + "test_attention_and_its_gradients_equal_torchs_for_any_leading_dimensions_and_value_width",
    ),
    Breakage(
        "softmax over the queries",
        "dot_product.py",
        "softmax(scores.masked_fill(~visible, lowest))",
        "softmax(scores.masked_fill(~visible, lowest).mT).mT",
        DOT + "test_rows_of_weights_sum_to_one_or_are_all_zero_and_hidden_keys_get_nothing",
    ),
    Breakage(
        "mask upside down",
        "dot_product.py",
        "scores.masked_fill(~visible, lowest)",
        "scores.masked_fill(visible, lowest)",
        DOT + "test_rows_of_weights_sum_to_one_or_are_all_zero_and_hidden_keys_get_nothing",
    ),
    Breakage(
        "hidden scores filled with a small number",
        "dot_product.py",
        "lowest = torch.finfo(scores.dtype).min",
        "lowest = -1e3",
        DOT + "test_hidden_keys_stay_hidden_however_low_the_visible_scores_are",
    ),
    Breakage(
        "a row that may look nowhere is NaN",
        "dot_product.py",
        "weights = softmax(scores.masked_fill(~visible, lowest))",
        "return softmax(scores.masked_fill(~visible, -math.inf))",
        DOT + "test_a_row_that_may_look_nowhere_gives_zeros_forward_and_backward",
    ),
    Breakage(
        "a row that may look nowhere looks everywhere",
        "dot_product.py",
        "return weights.masked_fill(~visible, 0.0)",
        "return weights",
        DOT + "test_a_row_that_may_look_nowhere_gives_zeros_forward_and_backward",
    ),
    Breakage(
        "dropout on the weights that are returned",
        "dot_product.py",
        "return drop(weights, dropout) @ value, weights",
        "weights = drop(weights, dropout)\n    return weights @ value, weights",
        DOT + "test_dropout_falls_on_the_mixture_and_not_on_the_weights_returned",
    ),
    Breakage(
        "a short softmax whose gradient forgets that the weights sum to one",
        "dot_product.py",
        "return (weights * (gradient - mean)).to(kept.dtype)",
        "return (weights * gradient).to(kept.dtype)",
        DOT + "test_rows_of_any_length_get_torchs_softmax_and_its_gradient",
    ),
    Breakage(
        "a short softmax that overflows",
        "dot_product.py",
        "weights = (exact - exact.amax(dim=-1, keepdim=True)).exp_()",
        "weights = exact.exp()",
        DOT + "test_rows_of_any_length_get_torchs_softmax_and_its_gradient",
    ),
    Breakage(
        "heads of width n_heads instead of n_heads heads",
        "multi_head.py",
        "x.unflatten(-1, (n_heads, -1))",
        "x.unflatten(-1, (-1, n_heads))",
        HEADS + "test_split_heads_gives_each_head_its_own_columns",
    ),
    Breakage(
        "heads merged in the wrong order",
        "multi_head.py",
        "return x.transpose(-3, -2).flatten(-2)",
        "return x.permute(*range(x.dim() - 3), -2, -1, -3).flatten(-2)",
        HEADS + "test_merge_heads_undoes_split_heads_for_any_leading_dimensions",
    ),
    Breakage(
        "queries and keys swapped",
        "multi_head.py",
        "queries = self.query(query)",
        "queries = self.key(query)",
        HEADS + "test_outputs_weights_and_gradients_equal_torchs_for_random_shapes_and_masks",
    ),
    Breakage(
        "values projected by the keys' matrix",
        "multi_head.py",
        "split_heads(self.value(value), self.n_heads)",
        "split_heads(self.key(value), self.n_heads)",
        HEADS + "test_outputs_weights_and_gradients_equal_torchs_for_random_shapes_and_masks",
    ),
    Breakage(
        "mask forgotten by the fused kernel",
        "dot_product.py",
        "attn_mask=visible | blind, dropout_p=dropout",
        "dropout_p=dropout",
        HEADS + "test_a_layer_gives_the_same_whichever_kernel_its_rule_chooses",
    ),
    Breakage(
        "fused kernel lets a row that may look nowhere look",
        "dot_product.py",
        "return mixture.masked_fill(blind, 0.0)",
        "return mixture",
        HEADS + "test_the_fused_kernel_equals_the_formula_forward_and_backward",
    ),
    Breakage(
        "beams unfolded in the wrong order",
        "multi_head.py",
        "return x.unflatten(2, (beams, -1)).transpose(1, 2).flatten(0, 1)",
        "return x.unflatten(2, (-1, beams)).permute(0, 3, 1, 2, 4).flatten(0, 1)",
        HEADS + "test_beams_read_one_sentences_keys_without_copies_of_them",
    ),
    Breakage(
        "attention dropout in evaluation too",
        "multi_head.py",
        "dropout = self.dropout if self.training else 0.0",
        "dropout = self.dropout",
        HEADS + "test_dropout_works_in_training_and_not_in_evaluation",
    ),
    Breakage(
        "future mask off by one: the next token is seen",
        "masks.py",
        "return key_place <= query_place[:, None]",
        "return key_place <= query_place[:, None] + 1",
        MODEL + "test_a_later_token_never_changes_an_earlier_prediction",
    ),
    Breakage(
        "future mask off by one: a place does not see itself",
        "masks.py",
        "return key_place <= query_place[:, None]",
        "return key_place < query_place[:, None]",
        MASKS + "test_a_place_sees_itself_and_the_past_but_not_the_future",
    ),
    Breakage(
        "queries after a cache stand at the start",
        "masks.py",
        "torch.arange(n_keys - n_queries, n_keys, device=device)",
        "torch.arange(n_queries, device=device)",
        MASKS + "test_queries_after_a_cache_stand_at_the_end_of_the_keys",
    ),
    Breakage(
        "pad is always 0",
        "masks.py",
        "(ids != pad_id)",
        "(ids != 0)",
        MASKS + "test_a_pad_is_what_the_model_calls_pad_not_zero",
    ),
    Breakage(
        "padding mask dropped in cross-attention",
        "layers.py",
        "memory, memory, memory_visible, cache=cross_cache",
        "memory, memory, None, cache=cross_cache",
        MODEL + "test_source_pads_and_their_number_never_change_a_prediction",
    ),
    Breakage(
        "padding mask dropped in the encoder",
        "layers.py",
        "return self.self_attention(x, x, x, visible, rotation=rotation, trace=trace, edits=edits)",
        "return self.self_attention(x, x, x, None, rotation=rotation, trace=trace, edits=edits)",
        MODEL + "test_source_pads_and_their_number_never_change_a_prediction",
    ),
    Breakage(
        "cross-attention looks at the target",
        "layers.py",
        "return self.cross_attention(x, memory, memory, memory_visible",
        "return self.cross_attention(x, x, x, None",
        LAYERS + "test_a_decoder_layer_equals_torchs",
    ),
    Breakage(
        "embedding not scaled",
        "embedding.py",
        "return self.table(ids) * self.scale",
        "return self.table(ids)",
        "tests/nn/test_embedding.py::test_an_embedding_is_its_row_times_the_root_of_d_model",
    ),
    Breakage(
        "positions: exponent off by a factor two",
        "positions.py",
        'torch.arange(0, width, 2, dtype=torch.float64, device="cpu") / width',
        'torch.arange(0, width, 2, dtype=torch.float64, device="cpu") * 2 / width',
        PLACES + "test_sinusoids_are_the_papers_formula",
    ),
    Breakage(
        "positions: sines and cosines swapped",
        "positions.py",
        "pairs = (angles(max_length, d_model).sin(), angles(max_length, d_model).cos())",
        "pairs = (angles(max_length, d_model).cos(), angles(max_length, d_model).sin())",
        PLACES + "test_sinusoids_are_the_papers_formula",
    ),
    Breakage(
        "positions not added to the embeddings",
        "transformer.py",
        "self.dropout(x + positions(n_places, start))",
        "self.dropout(x)",
        MODEL + "test_the_order_of_words_changes_the_answer",
    ),
    Breakage(
        "rotary: keys not turned",
        "multi_head.py",
        "keys = rotate(keys, rotation)",
        "keys = keys * 1",
        MODEL + "test_the_order_of_words_changes_the_answer",
    ),
    Breakage(
        "rotary: turned the wrong way for half the columns",
        "positions.py",
        "torch.cat((-sin, sin), dim=-1)",
        "torch.cat((sin, sin), dim=-1)",
        PLACES + "test_rotary_equals_llamas",
    ),
    Breakage(
        "cached places all stand at the start",
        "transformer.py",
        "start = 0 if cache is None else cache.length",
        "start = 0",
        CACHE + "test_cached_equals_uncached_at_every_step_however_many_places_a_step_has",
    ),
    Breakage(
        "cache not reordered when beams swap",
        "cache.py",
        "remembered.select(parents)",
        "remembered.select(torch.arange(len(parents)) // (len(parents) // len(remembered.read()[0])))",
        CACHE + "test_cached_equals_uncached_while_beams_swap_and_sentences_leave",
    ),
    Breakage(
        "cache keeps the wrong beams when sentences leave",
        "cache.py",
        "rows[:, None] * beams + torch.arange(beams, device=rows.device)",
        "rows[:, None] + torch.arange(beams, device=rows.device)",
        CACHE + "test_cached_equals_uncached_while_beams_swap_and_sentences_leave",
    ),
    Breakage(
        "encoder's keys projected anew at every step",
        "cache.py",
        "return not self.grows and self.keys is not None",
        "return False",
        CACHE + "test_what_the_encoder_gave_is_projected_once_and_never_copied_per_beam",
    ),
    Breakage(
        "norm before the sum in post-norm",
        "norm.py",
        "return self.norm(x + self.dropout(sublayer(x)))",
        "return x + self.norm(self.dropout(sublayer(x)))",
        NORM + "test_post_norm_normalises_the_sum",
    ),
    Breakage(
        "residual taken after the norm in pre-norm",
        "norm.py",
        "return x + self.dropout(sublayer(self.norm(x)))",
        "x = self.norm(x)\n            return x + self.dropout(sublayer(x))",
        NORM + "test_pre_norm_normalises_what_the_sub_layer_sees_and_leaves_the_residual_alone",
    ),
    Breakage(
        "dropout on the residual",
        "norm.py",
        "return self.norm(x + self.dropout(sublayer(x)))",
        "return self.norm(self.dropout(x + sublayer(x)))",
        NORM + "test_dropout_falls_on_the_sub_layers_output_and_never_on_the_residual",
    ),
    Breakage(
        "residual dropout not wired",
        "layers.py",
        "placement=config.norm_placement, dropout=config.dropout",
        "placement=config.norm_placement, dropout=0.0",
        MODEL + "test_each_dropout_of_the_config_reaches_its_layers",
    ),
    Breakage(
        "attention dropout not wired",
        "layers.py",
        "dropout=config.attention_dropout",
        "dropout=0.0",
        MODEL + "test_each_dropout_of_the_config_reaches_its_layers",
    ),
    Breakage(
        "activation dropout not wired",
        "layers.py",
        "dropout=config.activation_dropout",
        "dropout=0.0",
        MODEL + "test_each_dropout_of_the_config_reaches_its_layers",
    ),
    Breakage(
        "embedding dropout missing with rotary positions",
        "transformer.py",
        "return self.dropout(x), positions(n_places, start)",
        "return x, positions(n_places, start)",
        MODEL + "test_dropout_falls_on_the_embeddings_too",
    ),
    Breakage(
        "feed-forward dropout after the second map",
        "feedforward.py",
        "return self.narrow(self.dropout(hidden))",
        "return self.dropout(self.narrow(hidden))",
        "tests/nn/test_feedforward.py::test_its_dropout_falls_between_the_two_maps",
    ),
    Breakage(
        "final norm missing",
        "transformer.py",
        'return hand_on("decoder", self.norm(x), trace, edits)',
        'return hand_on("decoder", x, trace, edits)',
        LAYERS + "test_both_stacks_equal_torchs_transformer",
    ),
    Breakage(
        "gate and value swapped in SwiGLU",
        "feedforward.py",
        "self.activate(self.gate(x)) * self.widen(x)",
        "self.activate(self.widen(x)) * self.gate(x)",
        "tests/nn/test_feedforward.py::test_gated_silu_is_swiglu",
    ),
    Breakage(
        "logits bias forgotten",
        "transformer.py",
        "return F.linear(hidden, self.output_matrix, self.logits_bias)",
        "return F.linear(hidden, self.output_matrix)",
        MODEL + "test_the_logits_bias_is_added_to_every_logit",
    ),
    Breakage(
        "wrong head switched off",
        "trace.py",
        "kept[list(off)] = 0.0",
        "kept[[i - 1 for i in off]] = 0.0",
        HEADS + "test_a_head_switched_off_equals_a_zeroed_slice_of_the_out_projection",
    ),
    Breakage(
        "hidden source place still seen",
        "trace.py",
        "return visible & shown",
        "return visible | shown",
        TRACE + "test_a_hidden_source_place_is_seen_by_nobody",
    ),
]


if __name__ == "__main__":
    print("| broken on purpose | in | caught by |\n|---|---|---|")
    for breakage in BREAKAGES:
        print(f"| {breakage.what} | `nn/{breakage.file}` | `{breakage.test.split('::')[1]}` |")
