"""What people get wrong about beams."""

from glassformer.course.mistakes import Mistake

ADD = "(totals[:, :, None] + log_probs).flatten(1)"
TOPK = "candidates.topk(min(n, candidates.size(1)), dim=-1)"
RETURN = "return best, places // n_tokens, places % n_tokens"
SCORE = "total / ((5 + length) / 6) ** alpha"
GOING_ON = "going_on = (~is_end).nonzero().flatten()[:beam_width]"

MISTAKES = [
    Mistake(
        name="probabilities-summed",
        says="You add probabilities to the totals. Probabilities are multiplied along a sentence; what may be added is their "
        "logarithms. Leave the log-probabilities as they are: no exp.",
        edits=[(ADD, "(totals[:, :, None] + log_probs.exp()).flatten(1)")],
    ),
    Mistake(
        name="totals-forgotten",
        says="You rank candidates by their last token alone: what the beam had collected before is not added. A likely word after "
        "an unlikely beginning is still an unlikely sentence: totals[:, :, None] + log_probs.",
        edits=[(ADD, "log_probs.flatten(1)")],
    ),
    Mistake(
        name="beams-not-expanded-jointly",
        says="Each beam chooses its own best continuations. All beams of a sentence must compete for the same seats, or a poor "
        "beam keeps its seat for ever: flatten beams and tokens into one axis, then take the best n of that.",
        edits=[(f"best, places = {TOPK}", "each = (totals[:, :, None] + log_probs).topk(-(-n // totals.size(1)), dim=-1)\n"
                "    best = each.values.flatten(1)[:, :n]\n"
                "    rows = torch.arange(totals.size(1))[:, None] * log_probs.size(-1)\n"
                "    places = (rows + each.indices).flatten(1)[:, :n]")],
    ),
    Mistake(
        name="beams-of-different-sentences-mixed",
        says="Sentences of the batch compete with one another: you flatten the batch as well, so the likeliest sentence takes the "
        "seats of the others. Flatten from axis 1 on, and take the best n of each row.",
        edits=[(TOPK, "candidates.flatten().topk(min(n * len(candidates), candidates.numel()), dim=-1)"),
               (RETURN, "best, places = (x.reshape(totals.size(0), -1) for x in (best, places))\n    " + RETURN)],
    ),
    Mistake(
        name="divided-by-the-number-of-beams",
        says="You find beam and token by dividing by the number of beams. Each beam's candidates lie next to one another, V of "
        "them: it is place // V and place % V, where V is log_probs.size(-1).",
        edits=[("n_tokens = log_probs.size(-1)", "n_tokens = log_probs.size(1)")],
    ),
    Mistake(
        name="parents-and-tokens-swapped",
        says="You return tokens where the parents should be, and the other way round. place // V counts whole beams: that is the "
        "parent; place % V is the token inside it.",
        edits=[(RETURN, "return best, places % n_tokens, places // n_tokens")],
    ),
    Mistake(
        name="starts-as-copies",
        says="You begin with W copies of the start token. They all find the same continuations, so your W beams are one beam W "
        "times, and the search is greedy. Begin with a single row.",
        edits=[("torch.tensor([[bos_id]])", "torch.full((beam_width, 1), bos_id)"),
               ("torch.zeros(1, 1)", "torch.zeros(1, beam_width)")],
    ),
    Mistake(
        name="parents-ignored",
        says="You append the new tokens to the beams in their old order. Candidate i continues beam parents[i]: take that beam's "
        "prefix first, prefixes[parents], then append.",
        edits=[("prefixes[parents[0]]", "prefixes[torch.arange(len(parents[0])) % len(prefixes)]")],
    ),
    Mistake(
        name="finished-beams-still-growing",
        says="A beam that has said its end goes on: it stays among those that are continued, gets tokens after its end, and its "
        "score grows more negative with each. Once finished, note it down and take it out.",
        edits=[(GOING_ON, "going_on = torch.arange(len(is_end))[:beam_width]"),
               ("if ends or length == max_length:", "if length == max_length:"),
               ("ids[1:-1] if ends else ids[1:]", "(ids + [eos_id])[1 : (ids + [eos_id]).index(eos_id)]")],
    ),
    Mistake(
        name="continued-after-the-end",
        says="You note finished hypotheses down, but they also stay in the beam and are continued: rows with an end token in the "
        "middle sit on seats that open beginnings need. Only candidates that have not ended go on.",
        edits=[(GOING_ON, "going_on = torch.arange(len(is_end))[:beam_width]")],
    ),
    Mistake(
        name="eos-never-chosen",
        says="Hypotheses that end are never noted down: all yours have max_length tokens. One that ends in eos_id among the first W "
        "candidates is finished in that very step.",
        edits=[("if ends or length == max_length:", "if length == max_length and not ends:")],
    ),
    Mistake(
        name="bos-left-in-output",
        says="Your hypotheses begin with the start token, 1. It is no word of the translation: ids[1:].",
        edits=[("ids[1:-1] if ends else ids[1:]", "ids[:-1] if ends else ids")],
    ),
    Mistake(
        name="eos-left-in-output",
        says="Your hypotheses end in the end token, 0. It counts in the length and in the probability, but it is no word of the "
        "translation: leave it out of the ids.",
        edits=[("ids[1:-1] if ends else ids[1:]", "ids[1:]")],
    ),
    Mistake(
        name="length-penalty-upside-down",
        says="You multiply by the length penalty. Log-probabilities are negative, so that makes long sentences still worse, and the "
        "shortest wins. Divide: -6 over a penalty of 2 is -3, which is better.",
        edits=[(SCORE, "total * ((5 + length) / 6) ** alpha")],
    ),
    Mistake(
        name="no-length-penalty",
        says="Your scores are plain log-probabilities: alpha does nothing. Every word makes a sentence less likely, so short ones "
        "win. Divide by ((5 + length) / 6) ** alpha.",
        edits=[(SCORE, "total")],
    ),
    Mistake(
        name="divided-by-length-to-the-alpha",
        says="You divide by length ** alpha. That is a penalty people use, but here it is that of the paper: "
        "((5 + length) / 6) ** alpha, which is gentler with short sentences and 1 for a single token.",
        edits=[(SCORE, "total / length**alpha")],
    ),
    Mistake(
        name="length-without-the-end",
        says="Your length is one too small: it leaves out the end token. The log-probability counts it, so the length must too; "
        "or a short sentence pays for two words and is excused for one.",
        edits=[(SCORE, "total / ((5 + length - ends) / 6) ** alpha")],
    ),
    Mistake(
        name="beam-narrows-when-one-ends",
        says="You take only W candidates at each step, so every hypothesis that ends leaves an empty seat and your beam gets "
        "narrower. Take 2 W: at most W of them can end, and W are left to go on.",
        edits=[("expand(totals, log_probs, 2 * beam_width)", "expand(totals, log_probs, beam_width)"),
               ("        prefixes, totals = prefixes[going_on]", "        if len(going_on) == 0:\n            break\n"
                "        prefixes, totals = prefixes[going_on]")],
    ),
    Mistake(
        name="beam-twice-as-wide",
        says="You go on with more than W beams: all candidates that have not ended. The 2 W are there to choose from; only the best W "
        "of them go on.",
        edits=[(GOING_ON, "going_on = (~is_end).nonzero().flatten()")],
    ),
    Mistake(
        name="first-finished-not-best",
        says="You return hypotheses in the order in which they ended: short ones first. Sort them by their score, the largest "
        "(least negative) first.",
        edits=[("sorted(finished, key=lambda found: found[1], reverse=True)", "finished")],
    ),
    Mistake(
        name="worst-first",
        says="You sort the wrong way round: the smallest score comes first. Scores are negative, and the one nearest to 0 is the "
        "best: reverse=True.",
        edits=[(", reverse=True)", ")")],
    ),
]  # fmt: skip
