"""What people get wrong when they remember."""

from glassformer.course.mistakes import Mistake

CAT_KEYS = "keys = torch.cat((self.keys, keys), dim=-2)"
CAT_VALUES = "values = torch.cat((self.values, values), dim=-2)"
FIRST = "first = torch.arange(n_sentences)[:, None] * n_beams"
TAKE = "self.keys, self.values = self.keys[rows], self.values[rows]"
VISIBLE = "visible = no_future(keys.size(-2))[-x.size(1) :]"
START = "start = cache.length"

MISTAKES = [
    Mistake(
        name="only-the-newest-kept",
        says="Your cache holds only the newest keys: add replaces the old ones. Put the new ones behind them, torch.cat along the "
        "axis of places.",
        edits=[(CAT_KEYS, "pass"), ("            " + CAT_VALUES + "\n", "")],
    ),
    Mistake(
        name="new-places-in-front",
        says="You put new places in front of the old ones. Attention itself would not mind, but the mask does: it thinks that the last key is the "
        "newest. Old first, then new.",
        edits=[(CAT_KEYS, "keys = torch.cat((keys, self.keys), dim=-2)"), (CAT_VALUES, "values = torch.cat((values, self.values), dim=-2)")],
    ),
    Mistake(
        name="values-forgotten",
        says="Keys pile up, but values are replaced by the newest. Every key needs its value: what is found by the one is handed over by the other.",
        edits=[("            " + CAT_VALUES + "\n", "")],
    ),
    Mistake(
        name="length-of-the-wrong-axis",
        says="Your length is not the number of places. Keys are [rows, H, K, E]: places are the last axis but one, size(-2).",
        edits=[("self.keys.size(-2)", "self.keys.size(1)")],
    ),
    Mistake(
        name="added-to-but-not-kept",
        says="add returns the right keys but does not keep them, so a third place finds only the first ones. Assign what you return to the "
        "cache's own keys and values.",
        edits=[("        self.keys, self.values = keys, values\n", "        if self.keys is None:\n            self.keys, self.values = keys, values\n")],
    ),
    Mistake(
        name="reordered-the-wrong-way-round",
        says="You move row i *to* parents[i]. It is the other way: row i goes on *from* parents[i], so new row i is old row parents[i]. "
        "With parents 2, 0, 1 the two differ.",
        edits=[(TAKE, "order = torch.zeros_like(rows)\n        order[rows] = torch.arange(len(rows))\n        "
                "self.keys, self.values = self.keys[order], self.values[order]")],
    ),
    Mistake(
        name="overwritten-while-reading",
        says="You copy rows one after the other into the same tensor, so a later row reads what an earlier one has just overwritten. Read all "
        "old rows first: keys[rows] makes a new tensor.",
        edits=[(TAKE, "for i, row in enumerate(rows.tolist()):\n"
                "            self.keys[i], self.values[i] = self.keys[row], self.values[row]")],
    ),
    Mistake(
        name="values-not-reordered",
        says="You reorder the keys and leave the values where they were: each beam now finds by its own keys what belongs to another beam.",
        edits=[(TAKE, "self.keys = self.keys[rows]")],
    ),
    Mistake(
        name="not-reordered-at-all",
        says="Your reorder changes nothing about who continues whom: after beams have changed places, each goes on with the words of another. New row i is old row "
        "parents[i].",
        edits=[(TAKE, "pass")],
    ),
    Mistake(
        name="beams-of-different-sentences-mixed",
        says="You use the parents as row numbers. They count within a sentence: beam 1 of the second sentence is row 1 * n + 1. So the second "
        "sentence went on from the first one's words. Add the row where each sentence begins.",
        edits=[("rows = (first + parents).flatten()", "rows = parents.flatten()")],
    ),
    Mistake(
        name="offset-by-the-new-width",
        says="You count the old rows with the new number of beams, W. At first a sentence has one row: sentence 1 is row 1, though it will "
        "become rows W and following. Use the number of rows the cache has, over the number of sentences.",
        edits=[("n_beams = self.keys.size(0) // n_sentences", "n_beams = parents.size(1)")],
    ),
    Mistake(
        name="position-starts-again",
        says="Each new word gets position 0. It stands behind all remembered ones: begin at cache.length.",
        edits=[(START, "start = 0")],
    ),
    Mistake(
        name="position-one-too-far",
        says="Your positions are one too far: with 3 remembered (places 0, 1, 2) the first new place is 3, not 4. Did you ask for the length "
        "after the new ones were in, or count the start token twice?",
        edits=[(START, "start = cache.length + 1")],
    ),
    Mistake(
        name="position-one-too-early",
        says="Your first new place gets the position of the last remembered one. With 3 remembered these are 0, 1, 2, and the new one is place "
        "3: cache.length itself.",
        edits=[(START, "start = max(cache.length - 1, 0)")],
    ),
    Mistake(
        name="one-position-for-all-new-places",
        says="All new places get the same position. Several may come at once: rows start to start + new of the table.",
        edits=[("table[start : start + x.size(1)]", "table[start]")],
    ),
    Mistake(
        name="mask-counts-from-the-first-place",
        says="Your mask takes the first rows of the triangle, as if the new places stood at the beginning. The first query of three, with two "
        "remembered, stands at place 2 and may see 0, 1, 2: take the *last* rows.",
        edits=[(VISIBLE, "visible = no_future(keys.size(-2))[: x.size(1)]")],
    ),
    Mistake(
        name="no-mask-with-a-cache",
        says="You use no mask with a cache. For a single new place that is right; for several, the first may look at the later ones. "
        "Hide the future among the new places too.",
        edits=[(VISIBLE, "visible = no_future(keys.size(-2)) if cache is None else None")],
    ),
    Mistake(
        name="mask-of-the-new-places-only",
        says="Your mask is the small triangle of the new places, and there are more keys than that: the remembered ones are in front. The mask "
        "needs a column for every key, [new, K].",
        edits=[(VISIBLE, "visible = no_future(x.size(1))")],
    ),
    Mistake(
        name="mask-missing",
        says="Without a cache nothing is hidden: every place sees the future. With a cache, word by word, it would look right, since the "
        "future is not there yet; but training would teach the model to peek.",
        edits=[(VISIBLE, "visible = None")],
    ),
    Mistake(
        name="cache-ignored",
        says="Your attention puts nothing into the cache, or does not use what comes back: each new word sees only itself. Use the keys and values that "
        "cache.add returns.",
        edits=[("keys, values = cache.add(keys, values)", "cache.add(keys, values)")],
    ),
    Mistake(
        name="keys-projected-again",
        says="Your answers are right, but you do the work of stage 07: the whole sentence goes through the maps again for each word. Remember "
        "keys and values, not the words they came from.",
        edits=[("keys = split_heads(self.key(x), self.n_heads)",
                "words = torch.cat((getattr(cache, 'words', x[:, :0]), x), dim=1)\n"
                "        if cache is not None:\n"
                "            cache.words = words\n"
                "        keys = split_heads(self.key(words), self.n_heads)[:, :, -x.size(1) :]"),
               ("values = split_heads(self.value(x), self.n_heads)",
                "values = split_heads(self.value(words), self.n_heads)[:, :, -x.size(1) :]")],
    ),
]  # fmt: skip
