"""Random-weight Marian models as transformers saves them, with vocabularies learnt from the embedded corpus."""

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece
import torch

from glassformer.data.demo.corpus import demo_corpus

CODE = ">>hin<<"


@cache
def sentences(side: str, n: int) -> tuple[str, ...]:
    """The first n sentences of the corpus, in one language."""
    return tuple(getattr(pair, side) for pair in demo_corpus().train[:n])


@cache
def spm(side: str, size: int) -> bytes:
    """A sentencepiece model with the defaults of OPUS-MT: ids 0 to 2 are <unk>, <s> and </s>, no pad."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(side, 3000)),
        model_writer=model,
        vocab_size=size,
        model_type="unigram",
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


def pieces(model: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(id) for id in range(3, processor.get_piece_size())]


def table(*models: bytes, codes: tuple[str, ...] = ()) -> dict[str, int]:
    """Ids as Marian gives them: </s> first, <pad> last, the order of pieces not sentencepiece's."""
    names = [
        "</s>",
        "<unk>",
        *codes,
        *reversed(list(dict.fromkeys(p for model in models for p in pieces(model)))),
        "<pad>",
    ]
    return {name: id for id, name in enumerate(names)}


def random_marian(**settings: Any) -> Any:
    """A MarianMTModel with random weights."""
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(7)
    sizes: dict[str, Any] = {
        "d_model": 24,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "encoder_attention_heads": 3,
        "decoder_attention_heads": 3,
        "encoder_ffn_dim": 40,
        "decoder_ffn_dim": 40,
        "max_position_embeddings": 64,
        "activation_function": "swish",
        "scale_embedding": True,
        "eos_token_id": 0,
        "forced_eos_token_id": None,
        "bos_token_id": 0,
        "attn_implementation": "eager",
    }
    theirs = MarianMTModel(MarianConfig(**(sizes | settings))).eval()
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            if "embed_positions" not in name:
                parameter.add_(0.15 * torch.randn_like(parameter))
        theirs.final_logits_bias.normal_()
    return theirs


def teach(theirs: Any, folder: Path, n_steps: int = 60) -> None:
    """A few steps, so that sentences end, and at different lengths: random weights say one word for ever."""
    import torch.nn.functional as F

    tables = [
        json.loads((folder / name).read_text())
        for name in ("vocab.json", "target_vocab.json")
        if (folder / name).exists()
    ]
    pad = theirs.config.pad_token_id
    sides = []
    for side, name, ids in (("english", "source.spm", tables[0]), ("hindi", "target.spm", tables[-1])):
        processor = sentencepiece.SentencePieceProcessor(model_proto=(folder / name).read_bytes())
        rows = [
            [*[ids[p] for p in processor.encode(text, out_type=str) if p in ids][:28], 0]
            for text in sentences(side, 48)
        ]
        sides.append(torch.tensor([row + [pad] * (30 - len(row)) for row in rows]))
    source, target = sides
    start = torch.full_like(target[:, :1], pad)
    optimizer = torch.optim.Adam(theirs.parameters(), lr=0.01)
    for _ in range(n_steps):
        inputs = torch.cat((start, target[:, :-1]), dim=1)
        logits = theirs(input_ids=source, attention_mask=(source != pad).long(), decoder_input_ids=inputs).logits
        optimizer.zero_grad()
        F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad).backward()
        optimizer.step()


def write_vocabulary(folder: Path, *, separate: bool = False, multilingual: bool = False) -> int:
    """Write the files of a tokenizer; return how many tokens each of its tables has room for."""
    folder.mkdir(parents=True)
    source, target = spm("english", 160), spm("hindi", 190)
    codes = (CODE, ">>mar<<") if multilingual else ()
    tables = {"vocab.json": table(source, codes=codes), "target_vocab.json": table(target)}
    if not separate:
        tables = {"vocab.json": table(source, target, codes=codes)}
    # transformers has one id for the pad of both languages: it is put last in both.
    size = max(len(ids) for ids in tables.values())
    for name, ids in tables.items():
        content = json.dumps({**ids, "<pad>": size - 1}, ensure_ascii=False)
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    languages = {"source_lang": "en", "target_lang": "hi", "separate_vocabs": separate}
    (folder / "tokenizer_config.json").write_text(json.dumps(languages))
    return size


def save_marian(
    folder: Path,
    *,
    separate: bool = False,
    multilingual: bool = False,
    pickled: bool = False,
    taught: bool = True,
    **settings: Any,
) -> Any:
    """Write a whole model folder; return the MarianMTModel that was saved into it."""
    from transformers import GenerationConfig

    size = write_vocabulary(folder, separate=separate, multilingual=multilingual)
    pad = size - 1
    sizes: dict[str, Any] = {"vocab_size": size, "pad_token_id": pad, "decoder_start_token_id": pad}
    if separate:
        sizes |= {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": size}
    theirs = random_marian(**sizes, **settings)
    if taught:
        teach(theirs, folder)
    theirs.generation_config = GenerationConfig(
        num_beams=4, max_length=30, bad_words_ids=[[pad]], pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad
    )
    theirs.save_pretrained(folder)
    if pickled:
        (folder / "model.safetensors").unlink()
        torch.save(theirs.state_dict(), folder / "pytorch_model.bin")
    return theirs
