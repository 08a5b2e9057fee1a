"""The two bugs as they came, each alone, and the ways in which people mend them wrongly."""

from glassformer.course.mistakes import Mistake

CUT = "x.split(x.size(-1) // n_heads, dim=-1)"
STACK = "torch.stack(chunks, dim=1)"
SIZES = "    n_sentences, _, n_places, _ = x.shape\n"
MERGE = "x.permute(0, 2, 1, 3).reshape(n_sentences, n_places, -1)"
AS_IT_CAME = "x.split(n_heads, dim=-1)"

MISTAKES = [
    Mistake(
        name="both-bugs-still-there",
        says="Both bugs are still in the file. Begin with split_heads: give it 12 columns and ask for 2 heads, and "
        "count how many come out and how wide they are. Then give the way back a batch that is not 2 sentences of 4 "
        "words.",
        edits=[(CUT, AS_IT_CAME), (SIZES, ""), (MERGE, "x.permute(0, 2, 1, 3).reshape(2, 4, -1)")],
    ),
    Mistake(
        name="chunks-still-of-that-width",
        says="merge_heads is mended; split_heads is not. You asked for 2 heads and got 6 of width 2: split(n) makes "
        "pieces *of size* n, not n pieces. It only works where number and width of the heads coincide, as in the "
        "author's 16 = 4 x 4.",
        edits=[(CUT, AS_IT_CAME)],
    ),
    Mistake(
        name="merge-still-has-the-example-s-sizes",
        says="split_heads is mended; merge_heads is not. Its reshape says 2 sentences of 4 words, the sizes of the "
        "author's example; the check came with 3 of 5. Take the sizes from x.shape.",
        edits=[(SIZES, ""), (MERGE, "x.permute(0, 2, 1, 3).reshape(2, 4, -1)")],
    ),
    Mistake(
        name="the-example-s-number-of-words",
        says="Any number of sentences works now, but your reshape still says 4 words. That size comes from x.shape "
        "too: it is the third of [B, H, S, E].",
        edits=[(MERGE, "x.permute(0, 2, 1, 3).reshape(n_sentences, 4, -1)")],
    ),
    Mistake(
        name="the-example-s-width",
        says="Your split_heads cuts pieces of width 4, which is right for 16 columns and 4 heads alone. The width "
        "of a head is x.size(-1) // n_heads.",
        edits=[(CUT, "x.split(4, dim=-1)")],
    ),
    Mistake(
        name="merged-without-transpose",
        says="The sizes in merge_heads are right now, but the permute is gone: the shape comes out right, and each "
        "row holds pieces of several words. The heads must move behind the places *before* the reshape.",
        edits=[(MERGE, "x.reshape(n_sentences, n_places, -1)")],
    ),
    Mistake(
        name="view-without-transpose",
        says="Your split_heads has the right shape and the wrong contents: viewing [B, S, D] as [B, H, S, E] deals "
        "the numbers out in the order of memory. View as [B, S, H, E], then transpose; or stack the chunks along "
        "dim=1.",
        edits=[(CUT, "x"), (STACK, "x.reshape(x.size(0), n_heads, x.size(1), -1)")],
    ),
    Mistake(
        name="stacked-in-front",
        says="Your heads are stacked in front of the sentences, torch.stack's default: [H, B, S, E]. merge_heads "
        "then takes heads for sentences. Stack along dim=1.",
        edits=[(STACK, "torch.stack(chunks)")],
    ),
    Mistake(
        name="heads-merged-in-the-wrong-order",
        says="Your merged columns come one from each head in turn. permute(0, 2, 1, 3) was right: places, then "
        "heads, then the columns of a head.",
        edits=[(MERGE, "x.permute(0, 2, 3, 1).reshape(n_sentences, n_places, -1)")],
    ),
    Mistake(
        name="mended-in-the-caller",
        says="The layer gives the right numbers, since it now hands split_heads a *width*. But the function still "
        "says n_heads and means something else: the next caller falls into the same hole. Mend it inside "
        "split_heads.",
        edits=[
            (CUT, AS_IT_CAME),
            ("self.n_heads = n_heads", "self.n_heads = d_model // n_heads"),
        ],
    ),
]
