"""THE COURSE: build the Transformer yourself, checked at every step by something that says what is wrong.

    catalogue.py    the stages, from stages.toml and stages/NN_name/
    universe.py     source text -> a subject: the learner's code, a solution, or a solution with a mistake in it
    observation.py  one thing that a check looks at: what came out, what was wanted
    examine.py      observations -> a verdict, which names the mistake where it is a known one
    examiner.py     the process of its own in which a learner's file is examined
    runner.py       starts that process, and outlives whatever happens in it
    ties.py         which tensor of a learner's module is which of the library's
    listening.py    trace and edits for code that knows nothing of them
    swap.py         a learner's modules inside the real model, with its trained weights
    probes.py       what several checks do to a module to see one thing alone
    workspace.py    the learner's folder: a file a stage, progress in a text file
    lesson.py       lessons, hints and FAQ as text for a terminal
    figures.py      the lessons' pictures, drawn by code

Nothing here translates or trains: what needs the product (`swap`, the last stage's training) is called from cli/.
"""
