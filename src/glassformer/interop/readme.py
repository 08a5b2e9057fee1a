"""The README of an exported folder: five lines that say what it is, and an example that runs as it stands."""

from glassformer.nn import ModelConfig
from glassformer.text.tokenizer import Tokenizer
from glassformer.translation.config import SearchConfig

from .text_files import example, lead, what_to_do_first


def compose(title: str, lines: list[str], code: str) -> str:
    """A title, the lines, and the example."""
    return "\n".join([f"# {title}", "", *lines, "", "```python", code.strip(), "```", ""])


def marian_readme(name: str, tokenizer: Tokenizer, search: SearchConfig) -> str:
    """For transformers."""
    penalty = (
        "Its search is the one it was judged with."
        if search.penalty == "power"
        else "transformers' length penalty is another than this run's (gnmt): scores may differ a little."
    )
    start = "".join(f"{token} " for token in lead(tokenizer))
    return compose(
        f"{name}, for transformers",
        [
            "A glassformer model as a MarianMTModel, with its tokenizer.",
            what_to_do_first(tokenizer),
            penalty,
            "It needs `pip install transformers sentencepiece torch`; run this inside the folder:",
        ],
        f"""
from transformers import MarianMTModel, MarianTokenizer

tokenizer, model = MarianTokenizer.from_pretrained("."), MarianMTModel.from_pretrained(".")
found = model.generate(**tokenizer(["{start}{example(tokenizer)}"], return_tensors="pt"))
print(tokenizer.decode(found[0], skip_special_tokens=True))
""",
    )


def ctranslate2_readme(name: str, tokenizer: Tokenizer, config: ModelConfig, search: SearchConfig) -> str:
    """For CTranslate2."""
    never = sorted({config.pad_id, config.bos_id, config.decoder_start_id} - {config.eos_id})
    suppressed = [[token] for token in tokenizer.target_pieces(never)]
    return compose(
        f"{name}, for CTranslate2",
        [
            'A glassformer model in float32; load it with `compute_type="int8"` for speed.',
            what_to_do_first(tokenizer),
            "CTranslate2 divides scores by tokens ** length_penalty, and stops when beam_size hypotheses have ended.",
            "It needs `pip install ctranslate2 sentencepiece`; run this inside the folder:",
        ],
        f"""
import ctranslate2
import sentencepiece

source, target = (sentencepiece.SentencePieceProcessor(model_file=f"{{side}}.spm") for side in ("source", "target"))
translator = ctranslate2.Translator(".", device="cpu", compute_type="float32")
tokens = {lead(tokenizer)} + source.encode("{example(tokenizer)}", out_type=str)
(found,) = translator.translate_batch(
    [tokens],
    beam_size={search.beam_width},
    length_penalty={max(search.alpha, 1e-7)},
    max_decoding_length={config.max_length - 1},
    suppress_sequences={suppressed},
)
print(" ".join(target.decode(found.hypotheses[0]).split()))
""",
    )


ONNX_CALLS = """
import onnxruntime

encoder, step = (onnxruntime.InferenceSession(f"{name}.onnx") for name in ("encoder", "decoder_step"))


def run(graph, *inputs):
    names = [one.name for one in graph.get_inputs()]
    return graph.run(None, dict(zip(names, inputs)))
"""
TORCH_CALLS = """
import torch

encoder, step = (torch.export.load(f"{name}.pt2").module() for name in ("encoder", "decoder_step"))


def run(graph, *inputs):
    return [found.detach().numpy() for found in graph(*map(torch.from_numpy, inputs))]
"""


def graphs_readme(name: str, tokenizer: Tokenizer, config: ModelConfig, target: str) -> str:
    """For ONNX Runtime or torch.export: the same two graphs, called in two ways."""
    onnx = target == "onnx"
    ending, needs = ("onnx", "onnxruntime sentencepiece numpy") if onnx else ("pt2", "torch sentencepiece numpy")
    cache = (config.n_decoder_layers, 1, config.n_heads, 0, config.head_width)
    table = "vocab.json" if tokenizer.tgt_vocab_size is None else "target_vocab.json"
    return compose(
        f"{name}, for {'ONNX Runtime' if onnx else 'torch.export'}",
        [
            f"`encoder.{ending}` reads a source; `decoder_step.{ending}` then gives log-probabilities, token by token.",
            "Batch and lengths are free; ids.json has what a search must know. The example always takes the likeliest.",
            what_to_do_first(tokenizer),
            f"It needs `pip install {needs}`; run this inside the folder:",
        ],
        f"""
import json

import numpy as np
import sentencepiece
{(ONNX_CALLS if onnx else TORCH_CALLS).strip()}


ids = json.load(open("ids.json"))
table, names = json.load(open("vocab.json", encoding="utf-8")), json.load(open("{table}", encoding="utf-8"))
source, target = (sentencepiece.SentencePieceProcessor(model_file=f"{{side}}.spm") for side in ("source", "target"))
tokens = {lead(tokenizer)} + source.encode("{example(tokenizer)}", out_type=str)
src = np.array([[table.get(token, table["<unk>"]) for token in tokens] + [ids["eos_id"]]])
cross_keys, cross_values = run(encoder, src)
keys = values = np.zeros({cache}, dtype=np.float32)  # of the places before: none
found = [ids["decoder_start_id"]]
while found[-1] != ids["eos_id"] and len(found) <= min(2 * src.shape[1] + 10, ids["max_length"]):
    last = np.array([found[-1:]])
    log_probs, keys, values = run(step, last, src, cross_keys, cross_values, keys, values)
    log_probs[:, ids["never"]] = -np.inf
    found.append(int(log_probs[0].argmax()))
pieces = {{id: piece for piece, id in names.items()}}
text = target.decode([pieces[id] for id in found[1:] if id != ids["eos_id"]])
print(" ".join(text.split()))
""",
    )
