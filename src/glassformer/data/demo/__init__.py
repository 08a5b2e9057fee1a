"""The embedded corpus: English and Hindi, made by a small grammar and written by hand for this project.

    corpus = demo_corpus(seed=0)
    corpus.train[0].english, corpus.train[0].hindi

Reading order: the words (lexicon.py and its tables), their forms (english_forms.py, hindi_forms.py), what is meant
(meaning.py), how it is said (english.py; hindi_phrases.py, hindi.py), what is worth saying (chance.py, phrases.py,
actions.py, patterns_*.py), all of it (grammar.py), and what is held out (variants.py, combinations.py, corpus.py).
"""

from .corpus import DemoCorpus, Pair, articles_sentences, demo_corpus

__all__ = ["DemoCorpus", "Pair", "articles_sentences", "demo_corpus"]
