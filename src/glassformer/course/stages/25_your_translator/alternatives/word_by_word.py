"""A greedy loop of its own, a batch of its own, torch's cross entropy."""

import torch
from s15_transformer import Transformer
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence


def build(config):
    sizes = [config.vocab_size, config.d_model, config.n_heads, config.d_ff]
    sizes += [config.n_encoder_layers, config.n_decoder_layers, config.dropout, config.norm_placement]
    return Transformer(*sizes, config.pad_id, config.max_length)


def loss_of(model, tokenizer, pairs, smoothing=0.1):
    sources = [torch.tensor(tokenizer.encode_source(english)) for english, _ in pairs]
    targets = [torch.tensor([tokenizer.bos_id, *tokenizer.encode_target(hindi)]) for _, hindi in pairs]
    src, tgt = (pad_sequence(rows, batch_first=True, padding_value=tokenizer.pad_id) for rows in (sources, targets))
    logits = model(src, tgt[:, :-1]).flatten(0, 1)
    return cross_entropy(logits, tgt[:, 1:].flatten(), ignore_index=tokenizer.pad_id, label_smoothing=smoothing)


def translate(model, tokenizer, sentence):
    model.eval()
    src = torch.tensor(tokenizer.encode_source(sentence)).unsqueeze(0)
    said = [tokenizer.bos_id]
    while len(said) < 2 * src.size(1) + 10:
        with torch.no_grad():
            said.append(int(model(src, torch.tensor([said]))[0, -1].argmax()))
        if said[-1] == tokenizer.eos_id:
            break
    return tokenizer.decode_target([token for token in said[1:] if token != tokenizer.eos_id])
