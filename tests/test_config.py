"""Settings: whose word counts, what is refused, and that what is written is read back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.config import ConfigError, RunConfig, differences, read_settings, read_words, to_toml

TOML = """
[model]
preset = "modern"
d_model = 64
n_heads = 4

[text]
src_lang = "en"
tgt_lang = "de"
vocab_size = 500

[data]
train = ["a.en", "a.de"]

[training]
max_steps = 70
learning_rate = 1
"""


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TOML)
    return path


def gather(toml: Path, *words: str) -> RunConfig:
    return RunConfig.gather([*read_settings(toml), *read_words(words)])


def test_defaults_yield_to_a_preset_that_to_the_file_and_that_to_the_command_line(toml: Path) -> None:
    config = gather(toml, "--model.n-heads", "2", "--training.max-steps=9")
    assert config.model.n_encoder_layers == 6  # a default
    assert config.model.norm == "rms"  # the preset
    assert config.model.d_model == 64  # the file, over the preset
    assert config.model.n_heads == 2  # the command line, over the file
    assert config.training.max_steps == 9
    assert config.data.train == ("a.en", "a.de")
    assert config.training.learning_rate == 1.0
    assert type(config.training.learning_rate) is float


def test_a_preset_on_the_command_line_does_not_undo_what_the_file_says(toml: Path) -> None:
    config = gather(toml, "--model.preset", "vanilla-2017")
    assert config.model.norm == "layer"
    assert config.model.d_model == 64


def test_one_option_can_have_several_values(toml: Path) -> None:
    config = gather(toml, "--data.valid", "v.en", "v.de", "--data.train", "b.tsv", "--training.seed", "5")
    assert config.data.valid == ("v.en", "v.de")
    assert config.data.train == ("b.tsv",)
    assert config.training.seed == 5


def test_the_model_gets_its_ids_and_first_vocabulary_from_the_text(toml: Path) -> None:
    config = gather(toml, "--model.preset", "marian")
    model = config.model
    assert (model.vocab_size, model.tgt_vocab_size) == (500, None)
    assert (model.pad_id, model.bos_id, model.eos_id, model.decoder_start_id) == (0, 2, 3, 2)
    settled = config.with_vocabulary(433, None)
    assert settled.model.vocab_size == 433
    assert settled.model.d_model == 64


def test_two_vocabularies_do_not_share_a_matrix_unless_told_to_and_then_it_is_an_error(toml: Path) -> None:
    config = gather(toml, "--text.vocabulary", "separate")
    assert config.model.share_embeddings == "target"
    assert config.with_vocabulary(100, 90).model.tgt_vocab_size == 90


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--training.max-stepz", "3"],
            "--training.max-stepz: .training. has no key 'max_stepz' .did you mean 'max_steps'",
        ),
        (["--trainin.seed", "3"], "there is no section 'trainin' .did you mean 'training'"),
        (["--training.xyzzy", "3"], "has no key 'xyzzy'; it has seed, start, max_epochs"),
        (["--training.seed", "x"], "--training.seed: seed is 'x'; expected a whole number"),
        (["--training.seed", "1.5"], "seed is 1.5; expected a whole number"),
        (["--training.seed", "true"], "seed is True; expected a whole number"),
        (["--training.seed"], "--training.seed takes one value, and was given none"),
        (["--training.seed", "1", "2"], "takes one value, and was given 1 2"),
        (["--training.tensorboard", "yes"], "tensorboard is 'yes'; expected true or false"),
        (["--training.schedule", "cosin"], "schedule is 'cosin'; expected one of noam, inverse-sqrt, cosine, constant"),
        (["--training.max-steps", "0"], r"\[training\] max_steps is 0; it must be at least 1"),
        (["--model.d-model", "63"], "d_model 63 does not split"),
        (["--model.vocab-size", "70"], "model.vocab_size is the tokenizer's to say; .* set text.vocab_size"),
        (["--model.preset", "moderm"], "expected one of vanilla-2017"),
        (["--text.vocab-size", "3"], r"\[text\] vocab_size is 3"),
        (["--search.beam-width", "0"], r"\[search\] beam_width is 0"),
        (["--data.max-tokens", "5000"], "data.max_tokens is 5000 but model.max_length 1024"),
        (["--training.seed", 5000 * "["], "expected a whole number"),
        (["--data.max-ratio", "inf"], r"\[data\] max_ratio is inf; it must be a number of at least 1"),
        (["seed=3"], "'seed' is not a setting"),
        (["--seed", "3"], "'--seed' is not a setting; a setting is --section.key value"),
    ],
)
def test_what_is_wrong_on_the_command_line_is_said_in_one_line(toml: Path, words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        gather(toml, *words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[training]\nmax_stepz = 3", "small.toml: .training. has no key 'max_stepz' .did you mean 'max_steps'"),
        ("[training]\nmax-steps = 3", "has no key 'max-steps' .did you mean 'max_steps'"),
        ("[trainig]\nseed = 3", "small.toml: there is no section 'trainig' .did you mean 'training'"),
        ("seed = 3", "there is no section 'seed'"),
        ("training = 3", r"training is 3; expected a section \[training\]"),
        ("[training]\nseed = '3'", "small.toml: seed is '3'; expected a whole number"),
        ("[training]\nseed = [3]", "expected a whole number"),
        ("[data]\ntrain = 3", "train is 3; expected a list of texts"),
        ("[data]\ntrain = [3]", r"train is \[3\]; expected a list of texts"),
        ("[model]\nn_heads = true", "n_heads is True; expected a whole number"),
        ("[model]\nd_model = 63", r"small.toml: \[model\] d_model 63 does not split"),
        ("[model]\nfinal_norm = 1", "final_norm is 1; expected true or false or nothing"),
        ("[training\nseed = 3", "small.toml is not TOML"),
        ("[training]\nseed = 3\nseed = 4", "small.toml is not TOML"),
        ("x = " + 5000 * "[", "small.toml has brackets within brackets, too deep to read"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_one_line_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "small.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        gather(path)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbf[training]\nseed = 3\n")
    assert gather(tmp_path / "bom.toml").training.seed == 3


def test_a_file_that_is_none_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"[text]\nsrc_lang = 'fran\xe7ais'\n")
    with pytest.raises(ConfigError, match=r"latin.toml is not UTF-8"):
        read_settings(tmp_path / "latin.toml")
    with pytest.raises(ConfigError, match=r"nowhere.toml does not exist"):
        read_settings(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        read_settings(tmp_path)


def test_what_is_written_is_read_back_the_same(toml: Path, tmp_path: Path) -> None:
    config = gather(
        toml, "--data.valid", 'odd "name" \\ पिज़्ज़ा.en', "b", "--training.patience", "3", "--model.dropout", "0.3"
    )
    written = tmp_path / "config.toml"
    written.write_text(to_toml(config), encoding="utf-8")
    assert RunConfig.gather(read_settings(written)) == config


@given(
    rate=st.floats(1e-12, 1e6),
    seed=st.integers(0, 2**40),
    lang=st.text(st.characters(codec="utf-8", categories=["L", "P"]), min_size=1),
)
def test_any_value_survives_being_written(
    tmp_path_factory: pytest.TempPathFactory, rate: float, seed: int, lang: str
) -> None:
    words = [f"--training.learning-rate={rate!r}", f"--training.seed={seed}", f"--text.src-lang={lang}"]
    config = RunConfig.gather(read_words(words))
    assert (config.training.learning_rate, config.training.seed, config.text.src_lang) == (rate, seed, lang)
    written = tmp_path_factory.mktemp("toml") / "config.toml"
    written.write_text(to_toml(config), encoding="utf-8")
    assert RunConfig.gather(read_settings(written)) == config


def test_differences_are_named_with_both_values(toml: Path) -> None:
    before, after = gather(toml), gather(toml, "--training.seed", "7", "--model.dropout", "0.5")
    assert differences(before, before) == {}
    assert differences(before, after) == {"model.dropout": (0.1, 0.5), "training.seed": (1, 7)}
