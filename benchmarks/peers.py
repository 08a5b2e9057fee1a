"""Ours and other people's Transformers, made to train alike: ids in, one mean loss over real tokens out.

Nothing to run by itself: see training.py. All have the same sizes, tied embeddings, and dropout of one rate on
residuals, attention weights and inside the feed-forward (x-transformers has none on residuals, which spares it work).

Joey NMT 2.3 and OpenNMT-py 3.5 are not here: they ask for protobuf below 3.21 and torch below 2.3.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from training_step import TorchTransformer

from glassformer.data.batch import Batch
from glassformer.fast.compiled.attention import compiled_attention
from glassformer.interop.torch_nn import copy_weights
from glassformer.nn import ModelConfig, Transformer
from glassformer.training.config import TrainingConfig
from glassformer.training.loss import loss_of
from glassformer.training.optimizer import gradient_norm, make_optimizer, set_learning_rate

SMOOTHING, RATE = 0.1, 1e-4
PEERS = ("torch", "marian", "x-transformers")
Step = Callable[[Batch], float]


def with_dropout(config: ModelConfig, rate: float) -> ModelConfig:
    """This rate wherever torch's Transformer has one; norms where it has them."""
    return config.with_changes(dropout=rate, attention_dropout=rate, activation_dropout=rate, final_norm=True)


class Marian(nn.Module):
    """transformers' MarianMT."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        from transformers import MarianConfig, MarianMTModel

        self.pad_id = config.pad_id
        sides = {}
        for side, n_layers in (("encoder", config.n_encoder_layers), ("decoder", config.n_decoder_layers)):
            sides |= {f"{side}_layers": n_layers, f"{side}_attention_heads": config.n_heads}
            sides |= {f"{side}_ffn_dim": config.d_ff}
        self.model = MarianMTModel(
            MarianConfig(
                vocab_size=config.vocab_size,
                d_model=config.d_model,
                dropout=config.dropout,
                attention_dropout=config.attention_dropout,
                activation_dropout=config.activation_dropout,
                activation_function="relu",
                scale_embedding=True,
                use_cache=False,
                pad_token_id=config.pad_id,
                eos_token_id=config.eos_id,
                decoder_start_token_id=config.decoder_start_id,
                forced_eos_token_id=None,
                **sides,
            )
        )

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """Ids to logits."""
        logits: Tensor = self.model(
            input_ids=src, attention_mask=(src != self.pad_id).long(), decoder_input_ids=tgt_in
        ).logits
        return logits


class XTransformers(nn.Module):
    """lucidrains' x-transformers, both stacks, pre-norm as it is by default."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        from x_transformers import Decoder, Encoder, TransformerWrapper

        self.pad_id = config.pad_id
        sizes = {
            "dim": config.d_model,
            "heads": config.n_heads,
            "attn_dim_head": config.head_width,
            "ff_mult": config.d_ff / config.d_model,
            "attn_dropout": config.attention_dropout,
            "ff_dropout": config.activation_dropout,
        }
        tokens = {"num_tokens": config.vocab_size, "max_seq_len": 256, "emb_dropout": config.dropout}
        encoder = Encoder(depth=config.n_encoder_layers, **sizes)
        decoder = Decoder(depth=config.n_decoder_layers, cross_attend=True, **sizes)
        self.decoder = TransformerWrapper(attn_layers=decoder, tie_embedding=True, **tokens)
        self.encoder = TransformerWrapper(attn_layers=encoder, token_emb=self.decoder.token_emb, **tokens)
        self.encoder.to_logits = nn.Identity()  # else the optimizer would carry a matrix that is never used

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """Ids to logits."""
        real = src != self.pad_id
        memory = self.encoder(src, mask=real, return_embeddings=True)
        logits: Tensor = self.decoder(tgt_in, context=memory, context_mask=real)
        return logits


def make_peer(name: str, config: ModelConfig) -> nn.Module:
    """Another project's model of these sizes."""
    if name == "torch":
        return TorchTransformer(Transformer(config))
    return Marian(config) if name == "marian" else XTransformers(config)


def their_loss(model: nn.Module, batch: Batch, precision: str) -> Tensor:
    """The mean over real tokens as anyone would write it."""
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
        logits = model(batch.src, batch.tgt_in)
    return F.cross_entropy(
        logits.float().flatten(0, 1), batch.tgt_out.flatten(), label_smoothing=SMOOTHING, ignore_index=0
    )


def our_loss(model: Transformer, batch: Batch, settings: TrainingConfig) -> Tensor:
    """The mean over real tokens as the trainer has it."""
    return loss_of(model, batch, settings).objective / int((batch.tgt_out != 0).sum())


def make_step(name: str, config: ModelConfig, precision: str) -> Step:
    """One step of training: gradient, fused Adam, and for ours the gradient's norm, which the trainer looks at."""
    torch.manual_seed(1)
    settings = TrainingConfig(label_smoothing=SMOOTHING, precision="bf16" if precision == "bf16" else "fp32")
    model = Transformer(config) if name == "ours" else make_peer(name, config)
    model.train()
    optimizer = make_optimizer(model, settings)
    set_learning_rate(optimizer, RATE)

    def step(batch: Batch) -> float:
        optimizer.zero_grad()
        mine = isinstance(model, Transformer)
        with compiled_attention(model):
            loss = our_loss(model, batch, settings) if mine else their_loss(model, batch, precision)
            loss.backward()
        if mine:
            gradient_norm(model.parameters()).item()
        optimizer.step()
        return loss.item()

    return step


def difference(config: ModelConfig, batch: Batch, precision: str) -> tuple[float, float]:
    """How far our loss and gradient are from torch.nn.Transformer's in fp32, as shares: of the loss, of the largest."""
    torch.manual_seed(1)
    ours = Transformer(config.with_changes(dropout=0.0, attention_dropout=0.0, activation_dropout=0.0))
    theirs = TorchTransformer(ours)
    settings = TrainingConfig(label_smoothing=SMOOTHING, precision="bf16" if precision == "bf16" else "fp32")
    with compiled_attention(ours):
        mine = our_loss(ours, batch, settings)
        mine.backward()
    reference = their_loss(theirs, batch, "fp32")
    reference.backward()
    # Their gradients, brought into the places of ours the way weights are.
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(parameter.grad)
    wanted = Transformer(ours.config)
    copy_weights(theirs.stacks, wanted)
    wanted.target_embedding.load_state_dict(theirs.embedding.state_dict())
    largest = max(parameter.abs().max().item() for parameter in wanted.parameters())
    pairs = zip(ours.parameters(), wanted.parameters(), strict=True)
    apart = max((one.grad - other).abs().max().item() for one, other in pairs)
    return abs(mine.item() / reference.item() - 1), apart / largest
