"""The Transformer of "Attention Is All You Need", built so that you can see through it.

The model is in `glassformer.nn`. This file imports nothing, torch least of all: `import glassformer` is free.
"""

__version__ = "0.1.0"
