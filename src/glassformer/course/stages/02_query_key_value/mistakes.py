"""What people get wrong about query, key and value."""

from glassformer.course.mistakes import Mistake

QUERY, KEY, VALUE = "query = word @ w_query", "key = word @ w_key", "value = word @ w_value"
MATCHES = "matches = keys @ query"
ANSWER = "return values[matches.argmax()]"

MISTAKES = [
    Mistake(
        name="matrix-turned-round",
        says="Your matrices are the wrong way round: w_query @ word, or word @ w_query.T. Here a matrix is [D, E], D "
        "rows for the D numbers of a word, so the word stands on its left: word @ w_query. The query of [1, 2] is 1 "
        "times the first row plus 2 times the second.",
        edits=[(QUERY, "query = w_query @ word"), (KEY, "key = w_key @ word"), (VALUE, "value = w_value @ word")],
    ),
    Mistake(
        name="star-instead-of-at",
        says="You multiplied with *, number by number, and got a whole matrix back. A query is one vector: word @ "
        "w_query multiplies and adds up.",
        edits=[(QUERY, "query = word * w_query"), (KEY, "key = word * w_key"), (VALUE, "value = word * w_value")],
    ),
    Mistake(
        name="query-and-key-swapped",
        says="Your query is what the key should be, and the other way round: either the matrices or the order of the "
        "return got mixed up. The order is query, key, value, here and everywhere.",
        edits=[("return query, key, value", "return key, query, value")],
    ),
    Mistake(
        name="key-and-value-swapped",
        says="Your key and your value have changed places. The key is what a word is found by, the value what it "
        "hands over: return query, key, value.",
        edits=[("return query, key, value", "return query, value, key")],
    ),
    Mistake(
        name="one-matrix-for-all",
        says="All three of yours are made with w_query. Then a word looks for what it is and hands over what it looks "
        "for, which is stage 01 again: each of the three has a matrix of its own.",
        edits=[(KEY, "key = word @ w_query"), (VALUE, "value = word @ w_query")],
    ),
    Mistake(
        name="key-made-from-the-query",
        says="Your key is made from the query: (word @ w_query) @ w_key. All three start from the word itself, side "
        "by side; none is made from another.",
        edits=[(KEY, "key = query @ w_key")],
    ),
    Mistake(
        name="value-made-from-the-key",
        says="Your value is made from the key: (word @ w_key) @ w_value. All three start from the word itself, side "
        "by side; none is made from another.",
        edits=[(VALUE, "value = key @ w_value")],
    ),
    Mistake(
        name="value-is-the-word",
        says="Your value is the word as it came in. That was stage 01; now what a word hands over is word @ w_value, "
        "which may be of another width than the word.",
        edits=[(VALUE, "value = word")],
    ),
    Mistake(
        name="returns-the-key",
        says="Your look-up finds the right place, and returns the key that stands there. Keys are only for finding: "
        "return the value of that place.",
        edits=[(ANSWER, "return keys[matches.argmax()]")],
    ),
    Mistake(
        name="returns-the-place",
        says="Your look-up returns the place (0, the first) where the best key stands. Go one step further: "
        "values[place].",
        edits=[(ANSWER, "return matches.argmax()")],
    ),
    Mistake(
        name="worst-match",
        says="Your look-up takes the *smallest* dot product: the worst match. A large dot product means a good match: "
        "argmax.",
        edits=[(ANSWER, "return values[matches.argmin()]")],
    ),
    Mistake(
        name="query-compared-with-values",
        says="You compare the query with the values. A query is compared with the keys; values are never compared "
        "with anything, and need not even have the query's width.",
        edits=[(MATCHES, "matches = values @ query")],
    ),
    Mistake(
        name="sign-forgotten",
        says="You take the largest dot product without its sign, and found the key [-9, 1], which points away from "
        "the query: -18 is the worst match of all, not the best. No abs, no square.",
        edits=[(MATCHES, "matches = (keys @ query).abs()")],
    ),
    Mistake(
        name="cosine",
        says="You divide by the length of the keys (cosine similarity), and found [1, 0], which points exactly where "
        "[2, 0] points. A plain dot product is wanted: [5, 5] scores 10 and wins, because a long key may speak up.",
        edits=[(MATCHES, "matches = keys @ query / keys.norm(dim=-1)")],
    ),
    Mistake(
        name="nearest-key",
        says="You look for the key that lies nearest to the query, and found [2, 0.5]. The measure here is the dot "
        "product, not the distance: [5, 5] is far from [2, 0], but its dot product, 10, is the largest.",
        edits=[(MATCHES, "matches = -(keys - query).norm(dim=-1)")],
    ),
    Mistake(
        name="mixed-already",
        says="Your look-up mixes all values by a softmax. That is where we are going, in the very next stage; this "
        "one is a plain look-up, and gives back the one value whose key matches best.",
        edits=[(ANSWER, "return matches.softmax(dim=-1) @ values")],
    ),
]
