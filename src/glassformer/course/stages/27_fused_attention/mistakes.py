"""What people get wrong about a softmax in blocks."""

from glassformer.course.mistakes import Mistake

START = 'maximum = query.new_full((*query.shape[:-1], 1), float("-inf"))'
NEW = "torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)"
RESCALE = "rescale = torch.exp(maximum - new_maximum)"
SHARES = "shares = torch.exp(scores - new_maximum)"
TOTAL = "total = total * rescale + shares.sum(dim=-1, keepdim=True)"
MIXTURE = "mixture = mixture * rescale + shares @ values"
LOOP = "range(0, key.size(-2), block_size)"

MISTAKES = [
    Mistake(
        name="no-scaling",
        says="Your scores are not divided by sqrt(d_k). Fused or not, it is equation 1: divide the query once, before the loop.",
        edits=[("query = query / math.sqrt(query.size(-1))", "")],
    ),
    Mistake(
        name="never-divided-by-the-sum",
        says="You return the sum of shares times values, but the shares do not sum to 1 yet. At the end, divide by the running sum.",
        edits=[("return mixture / total", "return mixture")],
    ),
    Mistake(
        name="running-sum-not-rescaled",
        says="When the maximum moves, your running sum is not rescaled: its old terms are still counted from the old maximum. Multiply "
        "it by exp(old maximum - new maximum) before you add the new block.",
        edits=[(TOTAL, "total = total + shares.sum(dim=-1, keepdim=True)")],
    ),
    Mistake(
        name="mixture-not-rescaled",
        says="You rescale the running sum but not the mixture of values. Both hold exp(score - old maximum); both must be "
        "multiplied by exp(old maximum - new maximum).",
        edits=[(MIXTURE, "mixture = mixture + shares @ values")],
    ),
    Mistake(
        name="nothing-rescaled",
        says="Neither the sum nor the mixture is rescaled when the maximum moves, so blocks that were counted from different maxima are added up "
        "as if they were the same. Multiply both by exp(old maximum - new maximum).",
        edits=[(TOTAL, "total = total + shares.sum(dim=-1, keepdim=True)"), (MIXTURE, "mixture = mixture + shares @ values")],
    ),
    Mistake(
        name="rescaled-upside-down",
        says="You multiply by exp(new - old). The new maximum is larger, so old shares must get *smaller*: exp(old - new), at most 1. "
        "(In the first block, exp(new - minus infinity) is infinite: hence the NaN.)",
        edits=[(RESCALE, "rescale = torch.exp(new_maximum - maximum)")],
    ),
    Mistake(
        name="new-block-rescaled-too",
        says="You rescale after adding the new block, which is counted from the new maximum already. First the old sums times the factor, then add.",
        edits=[(TOTAL, "total = torch.where(maximum.isinf(), 1.0, rescale) * (total + shares.sum(dim=-1, keepdim=True))"),
               (MIXTURE, "mixture = torch.where(maximum.isinf(), 1.0, rescale) * (mixture + shares @ values)")],
    ),
    Mistake(
        name="softmax-of-each-block",
        says="You take a softmax of each block and add the mixtures up: every block gets a whole share, however poor its scores are. One softmax goes over "
        "*all* keys; blocks only add to its sum.",
        edits=[(MIXTURE, "mixture = mixture + scores.softmax(dim=-1) @ values"),
               ("return mixture / total", "return mixture / -(-key.size(-2) // block_size)")],
    ),
    Mistake(
        name="last-block-dropped",
        says="Your last, smaller block is dropped: six keys in blocks of 4 leave two over. range(0, K, block_size) reaches them; K // block_size does not.",
        edits=[(LOOP, "range(0, key.size(-2) // block_size * block_size, block_size)")],
    ),
    Mistake(
        name="maximum-not-remembered",
        says="Your maximum stays what it was at first: after the block you do not keep the new one. The next block is then rescaled from the wrong "
        "place. End the loop with maximum = new maximum.",
        edits=[("        maximum = new_maximum\n", "        maximum = new_maximum if start == 0 else maximum\n")],
    ),
    Mistake(
        name="no-maximum-at-all",
        says="You subtract no maximum: exp(500) is infinite, and infinity over infinity is NaN. Keep the largest score so far, and rescale "
        "when it moves.",
        edits=[(RESCALE, "rescale = torch.ones_like(total)"), (SHARES, "shares = torch.exp(scores)")],
    ),
    Mistake(
        name="maximum-begins-at-zero",
        says="Your running maximum begins at 0. If all scores are far below, exp(score - 0) is 0 for all of them, and 0 / 0 is NaN. "
        'Begin at minus infinity: float("-inf").',
        edits=[(START, "maximum = query.new_zeros(*query.shape[:-1], 1)")],
    ),
    Mistake(
        name="maximum-of-this-block-only",
        says="Your maximum is that of the newest block and forgets the old one. When scores fall, exp(old - new) is huge and overflows. The maximum never "
        "falls: torch.maximum(old, new).",
        edits=[(NEW, "scores.max(dim=-1, keepdim=True).values")],
    ),
    Mistake(
        name="one-maximum-for-all-queries",
        says="You take one maximum for all queries. A query with small scores then has only zeros left, and 0 / 0 is NaN. Each query has a "
        "maximum of its own: dim=-1, keepdim=True.",
        edits=[(NEW, "torch.maximum(maximum, scores.max())")],
    ),
    Mistake(
        name="all-scores-at-once",
        says="Your numbers are right, but you compute all scores first and cut them into blocks afterwards: 96 * 128 numbers, which is just what blocks "
        "are to avoid. Multiply the query with one block of keys at a time.",
        edits=[("scores = query @ keys.transpose(-2, -1)", "scores = (query @ key.transpose(-2, -1))[..., start : start + block_size]")],
    ),
]  # fmt: skip
