"""What people get wrong about the outline: mostly who is handed what."""

from glassformer.course.mistakes import Mistake

IN_ENCODER = """        words = self.attention.run(words)
        return self.feed_forward.run(words)


class Decoder:"""
IN_DECODER = """        words = self.attention.run(words)
        words = self.cross_attention.run(listen(words, memory))
        return"""
GROW = """        last.next = kind()
        last = last.next"""

MISTAKES = [
    Mistake(
        name="feed-forward-before-attention",
        says="In your encoder the feed-forward comes before the attention. A word first gathers what it hears from "
        "others (attention), then thinks it over alone (feed-forward): [1, 2] becomes [3, 5], then [5, 11].",
        edits=[
            (
                IN_ENCODER,
                """        words = self.feed_forward.run(words)
        return self.attention.run(words)


class Decoder:""",
            )
        ],
    ),
    Mistake(
        name="feed-forward-forgotten",
        says="Your encoder returns what its attention gave, [3, 5] for the word [1, 2]. The feed-forward still has to "
        "work on that: each link has two blocks, one after the other.",
        edits=[(IN_ENCODER, "        return self.attention.run(words)\n\n\nclass Decoder:")],
    ),
    Mistake(
        name="both-blocks-get-the-input",
        says="Your feed-forward works on the words that came into the encoder, so what attention did is thrown away. "
        "Give it what attention returned: blocks stand in a row, not side by side.",
        edits=[
            (
                IN_ENCODER,
                "        self.attention.run(words)\n        return self.feed_forward.run(words)\n\n\nclass Decoder:",
            )
        ],
    ),
    Mistake(
        name="memory-not-heard",
        says="Your decoder never uses the memory: whatever the source says, the same comes out. Before its "
        "cross_attention runs, the words must hear it: listen(words, memory).",
        edits=[(IN_DECODER, IN_DECODER.replace("listen(words, memory)", "words"))],
    ),
    Mistake(
        name="memory-heard-too-early",
        says="Your decoder hears the memory before its own attention. Figure 1 of the paper has three blocks in this "
        "order: attention among the target's own words, then attention to the memory, then feed-forward.",
        edits=[
            (
                IN_DECODER,
                """        words = self.attention.run(listen(words, memory))
        words = self.cross_attention.run(words)
        return""",
            )
        ],
    ),
    Mistake(
        name="memory-takes-the-words-place",
        says="One word went into your decoder, and three came out: as many as the memory has. The target's words "
        "listen and the memory is what they hear, so it is listen(words, memory); a decoder gives back as many words "
        "as it got.",
        edits=[(IN_DECODER, IN_DECODER.replace("listen(words, memory)", "listen(memory, words)"))],
    ),
    Mistake(
        name="one-link-too-many",
        says="Your chain has one link more than was asked for. The first is made before the loop begins: n_links - 1 "
        "are left to be made in it.",
        edits=[("range(n_links - 1)", "range(n_links)")],
    ),
    Mistake(
        name="one-link-too-few",
        says="Your chain has one link less than was asked for. Count: one made before the loop, one in each round of "
        "it.",
        edits=[("range(n_links - 1)", "range(n_links - 2)")],
    ),
    Mistake(
        name="returns-the-last-link",
        says="Your chain seems to have a single link: you return the last one, and from there nobody knows the way "
        "back. Remember the first before you walk on, and return that.",
        edits=[("    return first", "    return last")],
    ),
    Mistake(
        name="never-moves-on",
        says="Your chain has two links however many are asked for: every new link is hung on the first, in the place "
        "of the one before. After last.next = kind(), move on: last = last.next.",
        edits=[(GROW, "        last.next = kind()")],
    ),
    Mistake(
        name="the-same-link-again",
        says="Your chain never ends: one and the same link stands in it several times, so its next is itself. Call "
        "kind() once for each link; [kind()] * n makes one object and n names for it.",
        edits=[(GROW, "        last.next = first\n        last = last.next")],
    ),
    Mistake(
        name="always-encoders",
        says="Your chain is made of Encoders even when Decoders are asked for. `kind` is the class itself: kind() "
        "makes one, whatever it is.",
        edits=[("first = last = kind()", "first = last = Encoder()"), ("last.next = kind()", "last.next = Encoder()")],
    ),
    Mistake(
        name="blocks-shared-by-all-encoders",
        says="All your encoders share one attention: it was made once, in the class, and not in __init__ for each "
        "object. Six layers then learn what one could. self.attention = FeedForward() inside __init__ makes a new one "
        "each time.",
        edits=[
            (
                '''then feed-forward."""

    def __init__(self) -> None:
        self.attention = FeedForward()  # a placeholder
        self.feed_forward = FeedForward()
        self.next: Encoder''',
                '''then feed-forward."""

    attention = FeedForward()

    def __init__(self) -> None:
        self.feed_forward = FeedForward()
        self.next: Encoder''',
            )
        ],
    ),
    Mistake(
        name="every-encoder-starts-from-the-source",
        says="Each of your encoders is given the source, so only the last one counts. The second must get what the "
        "first gave, and so on: let the words that come out be the words that go in next.",
        edits=[
            ("            source = link.run(source)", "            memory = link.run(source)"),
            ("        return source", "        return memory"),
        ],
    ),
    Mistake(
        name="last-encoder-left-out",
        says="Your walk stops before the last encoder: `while link.next is not None` ends *at* the last link, before "
        "its work. Ask whether the link itself is None.",
        edits=[
            (
                "            source = link.run(source)\n",
                """            if link.next is None:
                break
            source = link.run(source)
""",
            )
        ],
    ),
    Mistake(
        name="memory-only-for-the-first-decoder",
        says="Only your first decoder hears the memory; the others are handed the target's words in its place. The "
        "memory is made once and stays as it is: every decoder gets the same.",
        edits=[
            ("            target = link.run(target, memory)", "            target = memory = link.run(target, memory)")
        ],
    ),
    Mistake(
        name="source-instead-of-memory",
        says="Your decoders hear the raw source: the encoders' work is not used. What they should hear is the memory, "
        "self.encode(source).",
        edits=[("self.decode(target, self.encode(source))", "self.decode(target, source)")],
    ),
    Mistake(
        name="decoder-starts-from-the-memory",
        says="Your first decoder is given the memory as its words: three came out, as many as the source has, where "
        "the target has two. The target's words go through the decoders; the memory is only heard.",
        edits=[("self.decode(target, self.encode(source))", "self.decode(self.encode(source), target)")],
    ),
    Mistake(
        name="first-decoder-hears-the-first-encoder",
        says="You have coupled encoder 1 with decoder 1, encoder 2 with decoder 2, and so on. In the Transformer "
        "*every* decoder hears the *last* encoder: first finish the whole encoder chain, then start the decoders.",
        edits=[
            (
                "        return self.decode(target, self.encode(source))",
                """        left, right = self.encoder, self.decoder
        while right is not None:
            source = left.run(source)
            target = right.run(target, source)
            left, right = left.next, right.next
        return target""",
            )
        ],
    ),
]
