"""What people get wrong about masks."""

from glassformer.course.mistakes import Mistake

REAL = "return (ids != pad_id)[:, None, None, :]"
FUTURE = "return place[None, :] <= place[:, None]"
BOTH = "return real_places(ids, pad_id) & future_hidden"
FILL = "scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)"
ZERO = "        weights = weights.masked_fill(~visible, 0.0)  # changes only rows that may look nowhere\n"

MISTAKES = [
    Mistake(
        name="padding-mask-of-numbers",
        says="Your padding mask is made of numbers (1 and 0, or 1.0 and 0.0). Keep it boolean: `ids != pad_id` is a "
        "mask already. Numbers invite someone to add them to the scores, where 1 and 0 hide nothing.",
        edits=[(REAL, "return (ids != pad_id)[:, None, None, :].float()")],
    ),
    Mistake(
        name="padding-mask-of-integers",
        says="Your padding mask is made of integers. Keep it boolean: ~ of an integer is not what you think (~1 is "
        "-2, which counts as True).",
        edits=[(REAL, "return (ids != pad_id)[:, None, None, :].long()")],
    ),
    Mistake(
        name="padding-mask-without-axes",
        says="Your padding mask is [B, S], as the ids are. Scores are [B, H, Q, K]; broadcasting lines up shapes from "
        "the right, and would take your sentences for queries. Add two axes in the middle: [:, None, None, :].",
        edits=[(REAL, "return ids != pad_id")],
    ),
    Mistake(
        name="one-axis-missing",
        says="Your padding mask is [B, 1, S]. Scores have four axes, so your B would line up with their heads: add "
        "one more, [:, None, None, :].",
        edits=[(REAL, "return (ids != pad_id)[:, None, :]")],
    ),
    Mistake(
        name="queries-hidden-instead-of-keys",
        says="Your padding mask is [B, 1, S, 1]: it hides whole queries, not keys. A real word would still listen to "
        "pads. Keys stand on the last axis: [:, None, None, :].",
        edits=[(REAL, "return (ids != pad_id)[:, None, :, None]")],
    ),
    Mistake(
        name="padding-mask-upside-down",
        says="Your padding mask is upside down: True at the pads. Here True means may look, so it is ids != pad_id. "
        "(nn.MultiheadAttention has it the other way round, which is where this often comes from.)",
        edits=[(REAL, "return (ids == pad_id)[:, None, None, :]")],
    ),
    Mistake(
        name="pad-of-the-wrong-id",
        says="You hide id 0, whatever the pad is. In this check the pad is 1 and 0 is a word: your mask hides the "
        "word and shows the pads. Compare with pad_id.",
        edits=[(REAL, "return (ids != 0)[:, None, None, :]")],
    ),
    Mistake(
        name="future-mask-of-numbers",
        says="Your future mask is made of numbers: torch.tril(torch.ones(n, n)) is a float tensor. Make it boolean: "
        "torch.ones(n, n, dtype=torch.bool).tril(), or compare places.",
        edits=[(FUTURE, "return torch.tril(torch.ones(n_places, n_places))")],
    ),
    Mistake(
        name="sees-the-next",
        says="Your future mask is shifted by one: every place sees the next one too. While learning it could read the "
        "very word it should guess, and would learn to copy. The diagonal is the last thing a row sees: tril with "
        "diagonal=0, or <=.",
        edits=[(FUTURE, "return place[None, :] <= place[:, None] + 1")],
    ),
    Mistake(
        name="sees-itself-not",
        says="Your future mask is shifted by one the other way: no place sees itself, and the first sees nothing. A "
        "place may look at its own word, which is already known (the guess is about the next one): <=, or tril with "
        "diagonal=0.",
        edits=[(FUTURE, "return place[None, :] < place[:, None]")],
    ),
    Mistake(
        name="future-mask-upside-down",
        says="Your future mask is upside down: True above the diagonal, so each place sees the future and nothing "
        "else. You marked what to hide; True means may look.",
        edits=[(FUTURE, "return place[None, :] > place[:, None]")],
    ),
    Mistake(
        name="future-mask-transposed",
        says="Your future mask is transposed: place 0 sees everything, the last place only itself. Queries stand in "
        "the rows: row q is True up to column q. That is tril, not triu.",
        edits=[(FUTURE, "return place[None, :] >= place[:, None]")],
    ),
    Mistake(
        name="float-and-bool-combined",
        says="Your combined mask is a float tensor: a mask of numbers met a boolean one, or masks were added or "
        "multiplied as numbers. Keep both boolean and put them together with &: may look means real *and* not in the "
        "future.",
        edits=[(BOTH, "return real_places(ids, pad_id).float() + future_hidden.float()")],
    ),
    Mistake(
        name="padding-forgotten",
        says="Your may_look is [T, T], the same for every sentence: it hides the future and forgets the pads. Both "
        "must hold: real_places(ids, pad_id) & no_future(T).",
        edits=[(BOTH, "return future_hidden")],
    ),
    Mistake(
        name="future-forgotten",
        says="Your may_look is [B, 1, 1, T], the same for every query: it hides the pads and forgets the future. Both "
        "must hold: real_places(ids, pad_id) & no_future(T).",
        edits=[(BOTH, "return real_places(ids, pad_id)")],
    ),
    Mistake(
        name="or-instead-of-and",
        says="You put the masks together with `or` (|, or + of booleans): a place may look if one mask allows it, so "
        "pads in the past and words in the future are all visible. Both must allow it: &.",
        edits=[(BOTH, "return real_places(ids, pad_id) | future_hidden")],
    ),
    Mistake(
        name="pad-rows-hidden-too",
        says="You also hide everything from the pads' own rows. It looks tidy and makes rows that may look nowhere, "
        "the very rows a softmax chokes on. What pads see is thrown away later by the loss: hide keys only.",
        edits=[(BOTH, "real = real_places(ids, pad_id)\n    return real & real.transpose(-2, -1) & future_hidden")],
    ),
    Mistake(
        name="mask-ignored",
        says="Your attention takes a mask and does nothing with it: hidden keys get weight. Fill the scores where "
        "~visible, and keep what masked_fill returns: it changes nothing in place.",
        edits=[(FILL, ""), (ZERO, "")],
    ),
    Mistake(
        name="mask-upside-down",
        says="Your attention hides what is visible and shows what is hidden. masked_fill(mask, x) writes x where mask "
        "is True; our masks are True where one may look, so it wants ~visible.",
        edits=[(FILL, "scores = scores.masked_fill(visible, torch.finfo(scores.dtype).min)"), (ZERO, "")],
    ),
    Mistake(
        name="filled-after-softmax",
        says="You hide after the softmax: hidden weights are 0, but their share is lost and the rows sum to less than "
        "1. Hide the scores, then let the softmax share out the whole.",
        edits=[(FILL, "")],
    ),
    Mistake(
        name="filled-with-a-small-number",
        says="You fill hidden scores with 0 or with something near it, such as 1e-9, or you multiply scores by the "
        "mask. A score of 0 is a middling score, and exp(0) is 1. It must be very *negative*: -1e9 has its minus in "
        "front, not in the exponent.",
        edits=[(FILL, "scores = scores.masked_fill(~visible, 1e-9)"), (ZERO, "")],
    ),
    Mistake(
        name="mask-added-to-scores",
        says="You add the boolean mask to the scores: True counts as 1, so visible keys get a score higher by 1, and "
        "nothing is hidden. Use masked_fill(~visible, ...), or add a mask of 0 and very negative numbers.",
        edits=[(FILL, "scores = scores + visible"), (ZERO, "")],
    ),
    Mistake(
        name="visible-filled-with-one",
        says="Your scores are 1 or 0, the mask itself: you filled visible places too, and all visible keys count the "
        "same. masked_fill changes only hidden places and leaves the other scores as they are.",
        edits=[(FILL, "scores = torch.where(visible, 0.0, torch.finfo(scores.dtype).min)"), (ZERO, "")],
    ),
    Mistake(
        name="fill-that-can-be-beaten",
        says="You fill hidden scores with a number like -100. Real scores can be lower, here about -2683, and then "
        "the hidden key wins. Take the lowest number there is, torch.finfo(scores.dtype).min, or -inf.",
        edits=[(FILL, "scores = scores.masked_fill(~visible, -100.0)"), (ZERO, "")],
    ),
    Mistake(
        name="small-number-first-then-zero",
        says="You fill hidden scores with 0 or something near it (1e-9, or scores times the mask), and zero the "
        "weights afterwards. The hidden key took its share of the softmax all the same, and that share is lost: rows "
        "sum to less than 1. The fill must be very *negative*.",
        edits=[(FILL, "scores = scores.masked_fill(~visible, 1e-9)")],
    ),
    Mistake(
        name="fill-that-can-be-beaten-then-zero",
        says="You fill hidden scores with a number like -100. Real scores can be lower, here about -2683: then the "
        "hidden key takes the whole weight, and zeroing it afterwards leaves nothing for anyone. Take the lowest "
        "number there is, torch.finfo(scores.dtype).min, or -inf.",
        edits=[(FILL, "scores = scores.masked_fill(~visible, -100.0)")],
    ),
    Mistake(
        name="blind-row-is-nan",
        says="A query that may look nowhere gets NaN from your softmax: every score is -inf, every exponential 0, and "
        "0 / 0 is not a number. One such row spoils the whole sentence, then the loss. Fill with the lowest finite "
        "number, and set hidden weights to 0 afterwards.",
        edits=[(FILL, "scores = scores.masked_fill(~visible, float('-inf'))"), (ZERO, "")],
    ),
    Mistake(
        name="blind-row-sees-everything",
        says="A query that may look nowhere gives every hidden key the same weight, 1/4 each: all its scores are "
        "equally low, and a softmax always shares out a whole. Set hidden weights to 0 once more after the softmax.",
        edits=[(ZERO, "")],
    ),
    Mistake(
        name="nan-comes-back-in-the-gradient",
        says="Your answers are right, but the gradients of a row that may look nowhere are NaN: the softmax of -inf "
        "only was overwritten, and its derivative was not. One step of training would make every weight NaN. Use "
        "masked_fill (which stops gradients where it fills), or the lowest finite number instead of -inf.",
        edits=[(FILL, "scores = scores + torch.zeros_like(scores).masked_fill(~visible, float('-inf'))")],
    ),
]
