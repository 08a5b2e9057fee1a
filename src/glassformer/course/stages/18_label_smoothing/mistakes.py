"""What people get wrong about the loss."""

from glassformer.course.mistakes import Mistake

LOG = "torch.log_softmax(logits, dim=-1)"
BLEND = "loss = (1 - smoothing) * loss + smoothing * spread"
SPREAD = "spread = -log_probs.mean(dim=-1)"
MEAN = "return loss[real].sum() / real.sum()"

MISTAKES = [
    Mistake(
        name="pads-counted",
        says="Your loss counts the padded places: their target gives its mass to the pad, so the model is taught to say pad, "
        "which is easy, and the loss looks better than it is. Keep only places where tgt_out != pad_id.",
        edits=[(MEAN, "return loss.mean()")],
    ),
    Mistake(
        name="divided-by-all-places",
        says="You leave the pads out of the sum but not out of the number: you divide by all 10 places where 7 are real. The same "
        "sentence would then weigh less beside a longer one. Divide by the number of real tokens.",
        edits=[(MEAN, "return loss.masked_fill(~real, 0.0).sum() / loss.numel()")],
    ),
    Mistake(
        name="smoothing-counts-pads",
        says="You leave the pads out of the log-probability of the right token, but not out of the smoothing: its share is still "
        "averaged over padded places. Mask the whole loss of a place, both parts.",
        edits=[(BLEND, "loss = (1 - smoothing) * loss"),
               (MEAN, "return loss[real].sum() / real.sum() - smoothing * log_probs.mean()")],
    ),
    Mistake(
        name="mean-of-means",
        says="You take the mean of each sentence and then the mean of those. The 2 tokens of the short sentence now weigh as "
        "much as the 5 of the long one. Sum over all real tokens and divide once.",
        edits=[(MEAN, "return torch.stack([row[keep].mean() for row, keep in zip(loss, real)]).mean()")],
    ),
    Mistake(
        name="sum-instead-of-mean",
        says="You return the sum. Its size grows with the batch, and so would the steps of the training: divide by the number of "
        "real tokens.",
        edits=[(MEAN, "return loss[real].sum()")],
    ),
    Mistake(
        name="right-token-twice",
        says="The right token gets its mass twice: 1 - smoothing, and on top a share of smoothing / (V - 1), as if it were one of "
        "the others. Your target sums to more than 1. With a share for every token, the right one included, it is smoothing / V.",
        edits=[(SPREAD, "spread = -log_probs.sum(dim=-1) / (logits.size(-1) - 1)")],
    ),
    Mistake(
        name="only-the-others-smoothed",
        says="You give smoothing / (V - 1) to the wrong tokens and nothing of it to the right one. That sums to 1 and trains as "
        "well, but it is not the definition here (nor torch's): the share smoothing / V goes to every token, so that the right "
        "one has 0.84 of 5 tokens with smoothing 0.2, not 0.8.",
        edits=[(SPREAD, "spread = (-log_probs.sum(dim=-1) - loss) / (logits.size(-1) - 1)")],
    ),
    Mistake(
        name="no-share-for-the-pad",
        says="You share the smoothing among V - 2 tokens: not the right one, not the pad. Well-known code does so, and it trains; "
        "but the definition here (and torch's) is even over the whole vocabulary, smoothing / V each. The pad is kept out by "
        "not scoring padded places.",
        edits=[(SPREAD, "spread = (-log_probs.sum(dim=-1) - loss + log_probs[..., pad_id]) / (logits.size(-1) - 2)")],
    ),
    Mistake(
        name="the-pad-s-share-taken-away",
        says="You take the pad's share away and give it to nobody: the target sums to less than 1. The share of smoothing / V goes "
        "to every token of the vocabulary; it is padded *places* that count for nothing.",
        edits=[(SPREAD, "spread = -(log_probs.sum(dim=-1) - log_probs[..., pad_id]) / logits.size(-1)")],
    ),
    Mistake(
        name="nothing-taken-from-the-right-token",
        says="You add the smoothing without taking it from the right token: the target sums to 1.2. What the others get, the "
        "right one gives: (1 - smoothing) of it stays.",
        edits=[(BLEND, "loss = loss + smoothing * spread")],
    ),
    Mistake(
        name="share-not-divided",
        says="Every token gets the whole smoothing instead of its part of it: you sum over the vocabulary where the mean belongs. "
        "The target sums to far more than 1.",
        edits=[(SPREAD, "spread = -log_probs.sum(dim=-1)")],
    ),
    Mistake(
        name="shares-swapped",
        says="smoothing and 1 - smoothing have changed places: the right token gets 0.2 and the rest of the vocabulary 0.8.",
        edits=[(BLEND, "loss = smoothing * loss + (1 - smoothing) * spread")],
    ),
    Mistake(
        name="smoothing-ignored",
        says="Your loss is the same with smoothing and without: the argument is not used.",
        edits=[(BLEND, "")],
    ),
    Mistake(
        name="zero-times-infinity",
        says="Without smoothing you still multiply the spread by 0, and a token with probability 0 has log p = -inf: 0 * inf is "
        "NaN, and one NaN spoils all weights. Compute the spread only if smoothing > 0 (or use torch.where).",
        edits=[("if smoothing > 0:", "if True:")],
    ),
    Mistake(
        name="pads-multiplied-away",
        says="You multiply the loss of padded places by 0. Where the model forbids the pad, that loss is infinite, and 0 * inf is "
        "NaN. Select the real places, loss[real], or use masked_fill.",
        edits=[(MEAN, "return (loss * real).sum() / real.sum()")],
    ),
    Mistake(
        name="log-after-softmax",
        says="You take softmax first and the logarithm then. A small probability becomes 0 on the way, and log 0 is -inf: the loss "
        "of a model that is sure and wrong is infinite. torch.log_softmax never leaves the logarithms.",
        edits=[(LOG, "torch.softmax(logits, dim=-1).log()")],
    ),
    Mistake(
        name="softmax-twice",
        says="You apply a softmax to what is a softmax already: the probabilities of a token go through it a second time, and all "
        "tokens look nearly alike. log_softmax takes the logits.",
        edits=[(LOG, "torch.log_softmax(logits.softmax(dim=-1), dim=-1)")],
    ),
    Mistake(
        name="logits-without-softmax",
        says="You use the logits as if they were log-probabilities. They are not normalised: raising all of them would lower the "
        "loss for ever. log_softmax first.",
        edits=[(LOG, "logits + 0.0")],
    ),
    Mistake(
        name="softmax-over-the-wrong-axis",
        says="Your softmax runs over the places of the sentence. Each place chooses among tokens: the last axis, dim=-1.",
        edits=[(LOG, "torch.log_softmax(logits, dim=1)")],
    ),
    Mistake(
        name="sign-forgotten",
        says="Your loss is negative: log of a probability is below 0. The loss is minus that; else training makes the model worse.",
        edits=[(MEAN, "return -loss[real].sum() / real.sum()")],
    ),
    Mistake(
        name="pad-id-written-in",
        says="You take 0 for the pad. Here pad_id is 4, and 0 is a word like any other: use the argument.",
        edits=[("real = tgt_out != pad_id", "real = tgt_out != 0")],
    ),
    Mistake(
        name="pads-instead-of-words",
        says="Your mask is upside down: you keep the places where tgt_out *is* pad_id and leave out the words. Where there is no pad "
        "nothing is left, and 0 / 0 is NaN. Real is tgt_out != pad_id.",
        edits=[("real = tgt_out != pad_id", "real = tgt_out == pad_id")],
    ),
    Mistake(
        name="no-gradient",
        says="The number is right, but it is only a number: the way back to the logits is cut (.item(), .detach() or torch.no_grad). "
        "Return the tensor as it was computed, or nothing will learn.",
        edits=[(MEAN, "return (loss[real].sum() / real.sum()).detach()")],
    ),
]  # fmt: skip
