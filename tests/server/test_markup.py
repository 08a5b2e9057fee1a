"""HTML is translated between its tags, and everything else comes back as it was, whatever is sent."""

import time
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.server.markup import cut, pieces


def shout(html: str) -> str:
    """HTML with every text in capitals: a translation that can be seen. It strips, as translators do."""
    markup = cut(html)
    return markup.join([text.upper().strip() for text in markup.texts])


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("plain text", "PLAIN TEXT"),
        ("<p>one</p>", "<p>ONE</p>"),
        ("<p>one <b>two <i>three</i></b> four.</p>", "<p>ONE <b>TWO <i>THREE</i></b> FOUR.</p>"),
        (" \n <p>\tone  two\n</p>\n", " \n <p>\tONE  TWO\n</p>\n"),
        ("<a href=\"x?a=1&amp;b=2\" title='y'>z</a>", "<a href=\"x?a=1&amp;b=2\" title='y'>Z</a>"),
        ('<a title="a > b" x=y>z</a>', '<a title="a > b" x=y>Z</a>'),
        ("<a title='a > \"b\"'>z</a>", "<a title='a > \"b\"'>Z</a>"),
        ('<a href=q="x>y</a>', '<a href=q="x>Y</a>'),
        ("<p don't>x</p>", "<p don't>X</p>"),
        ("x &amp; y &lt;b&gt;", "X &amp; Y &lt;B&gt;"),
        ("caf&eacute; &#x928;", "CAFÉ न"),
        ("&nbsp;<b>&nbsp;x</b>", "&nbsp;<b>\xa0X</b>"),
        ("<i>a</i>&nbsp;b&#160;<i>c</i>", "<i>A</i>\xa0B\xa0<i>C</i>"),
        ("One. Two!\n\nmore? 3 <b>four.</b>", "ONE. TWO!\n\nMORE? 3 <b>FOUR.</b>"),
        ("a < b, 1 <2, <3", "A &lt; B, 1 &lt;2, &lt;3"),
        ("<!-- a <b> --> x <!-->y", "<!-- a <b> --> X <!-->Y"),
        ("<!DOCTYPE html><?xml x?></ y>z", "<!DOCTYPE html><?xml x?></ y>Z"),
        ("<![CDATA[ a > b ]]>x", "<![CDATA[ a > b ]]>X"),
        ("<script>a('<p>x</p>')</script >y", "<script>a('<p>x</p>')</script >Y"),
        ("<STYLE>p > a {}</style>y<Script>z", "<STYLE>p > a {}</style>Y<Script>z"),
        ("<pre>a <b>c</b></pre> d <code>e</code>", "<pre>a <b>c</b></pre> D <code>e</code>"),
        ("<scripted>x</scripted>", "<scripted>X</scripted>"),
        ("x<br/>y<br / >z", "X<br/>Y<br / >Z"),
        ("<b>1</b>, <b>2</b> | &copy; — ", "<b>1</b>, <b>2</b> | &copy; — "),
        ('x <p title="never ends>y', 'X <p title="never ends>y'),
        ("x <!-- never ends>y", "X <!-- never ends>y"),
        ("", ""),
    ],
)
def test_text_is_translated_and_the_rest_stays(html: str, expected: str) -> None:
    assert shout(html) == expected


def test_each_sentence_of_a_text_is_a_text_and_a_line_end_is_a_space() -> None:
    markup = cut("<p>One\ntwo. Three &amp; four!</p>")
    assert markup.texts == ("One\ntwo.", "Three & four!")
    assert markup.kept == ("<p>", " ", "</p>")


class Outline(HTMLParser):
    """Python's own parser: tags with attributes, comments and declarations, in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[object] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.found.append(decl)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


words = st.text(alphabet="abcdé नम", min_size=1, max_size=8)
names = st.sampled_from(["p", "b", "i", "div", "a", "span", "h1"])
values = st.text(alphabet="ab >/='&;<", max_size=6)
attributes = st.builds(lambda name, value: f' {name}="{value}"', st.sampled_from(["x", "title"]), values)
entities = st.sampled_from(["&amp;", "&lt;", "&eacute;", "&#2344;", "&nbsp;"])
verbatim = st.sampled_from(
    ["<!-- <p>no</p> -->", "<script>if (a < b) { c('</p>') }</script>", "<style>a > b {}</style>", "<br>", "<hr/>"]
)


def element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, extra, body: f"<{name}{extra}>{body}</{name}>", names, attributes | st.just(""), inside
    )


documents = st.recursive(
    words | entities | verbatim, lambda inner: element(inner) | st.lists(inner, max_size=4).map("".join), max_leaves=12
)


@given(documents)
def test_tags_come_back_in_order_with_their_attributes_and_no_text_is_lost(html: str) -> None:
    before, after = Outline(html), Outline(shout(html))
    assert after.found == before.found
    assert "".join(after.texts).upper() == "".join(before.texts).upper()


@given(documents, st.text(max_size=20) | st.just('"><script>alert(1)</script><img onerror="x"'))
def test_what_a_translation_says_never_becomes_markup(html: str, said: str) -> None:
    markup = cut(html)
    assert Outline(markup.join([said] * len(markup.texts))).found == Outline(html).found


@given(st.text(alphabet="<>/!-='\" ab?[CDATA]&;script\n", max_size=60))
def test_whatever_is_sent_nothing_is_dropped(html: str) -> None:
    assert "".join(piece for _, piece in pieces(html)) == html
    markup = cut(html)
    assert len(markup.kept) == len(markup.texts) + 1
    assert unescape(markup.join(markup.texts)) == unescape(unescape(html)) or "&" in html or "<" in html


@pytest.mark.parametrize("bad", ["<!--", "<script>", "<a ", "<", '<a b="', "<a b =  ", "</", "<a\t", "<pre>x</pr"])
def test_time_grows_with_the_length_and_not_with_its_square(bad: str) -> None:
    def seconds(length: int) -> float:
        html = bad * (length // len(bad))
        began = time.process_time()
        cut(html)
        return time.process_time() - began

    short = min(seconds(25_000) for _ in range(3))
    assert min(seconds(200_000) for _ in range(3)) < 24 * short + 0.05
