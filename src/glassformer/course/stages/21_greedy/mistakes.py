"""What people get wrong when a model first speaks."""

from glassformer.course.mistakes import Mistake

LAST = "hidden[:, -1]"
APPEND = "tgt_in = torch.cat((tgt_in, tokens[:, None]), dim=1)"
DECODE = "model.decode(tgt_in, memory, src)"
RETURN = "[until_end(ids, eos_id) for ids in tgt_in[:, 1:].tolist()]"

MISTAKES = [
    Mistake(
        name="eval-mode-forgotten",
        says="Your model translates in training mode: dropout throws away part of every vector, and the same sentence comes "
        "out differently each time. Call model.eval() before the first encode.",
        edits=[("    model.eval()\n", "")],
    ),
    Mistake(
        name="first-place-instead-of-the-last",
        says="You read the next token at the first place. Place t says what follows token t, so the place that has seen "
        "everything so far is the last one: hidden[:, -1].",
        edits=[(LAST, "hidden[:, 0]")],
    ),
    Mistake(
        name="only-the-newest-token-fed",
        says="You give the decoder only the newest token, so it has forgotten everything before it. Give it all tokens so "
        "far, from the start token on. (Stage 23 makes your version right, by remembering.)",
        edits=[(DECODE, "model.decode(tgt_in[:, -1:], memory, src)")],
    ),
    Mistake(
        name="bos-left-in-output",
        says="Your translation begins with the start token, 2. It was there to give the decoder something to begin with; it "
        "is no word of the translation: leave out the first column.",
        edits=[("tgt_in[:, 1:]", "tgt_in")],
    ),
    Mistake(
        name="eos-left-in-output",
        says="Your translations end in the end token, 3. It says that the sentence is over and is no word of it: cut "
        "before it.",
        edits=[("ids[: ids.index(eos_id)]", "ids[: ids.index(eos_id) + 1]")],
    ),
    Mistake(
        name="finished-sentences-still-growing",
        says="A sentence that has ended goes on growing while others in the batch are still being translated: what the model "
        "says after its end token is noise. Cut each row at its own first end token.",
        edits=[(RETURN, "[[token for token in ids if token != eos_id] for ids in tgt_in[:, 1:].tolist()]")],
    ),
    Mistake(
        name="stops-at-the-first-end",
        says="You stop as soon as one sentence of the batch has ended: in the check's batch the third ends at once, and the "
        "others never get to speak. Remember who has ended, and stop when all have.",
        edits=[("ended.all()", "ended.any()")],
    ),
    Mistake(
        name="all-must-end-in-the-same-step",
        says="You stop when all sentences say the end token in the same step. They end at different times, so that hardly "
        "ever happens and you run on to max_length. Keep a boolean for each row: ended = ended | (tokens == eos_id).",
        edits=[("ended = ended | (tokens == eos_id)", "ended = tokens == eos_id")],
    ),
    Mistake(
        name="eos-never-chosen",
        says="The end token is never chosen, so every sentence runs to max_length. You may want to rule out pad and start, "
        "but the end is a word like any other to the model: it must be allowed to win.",
        edits=[("logits = model.project(hidden[:, -1])", "logits = model.project(hidden[:, -1]).index_fill(-1, "
                "torch.tensor([0, bos_id, eos_id]), float('-inf'))")],
    ),
    Mistake(
        name="encoder-run-again-for-every-word",
        says="You run the encoder again for every word: of three sentences you encoded many more. The source stays the same; "
        "encode once before the loop and hand the memory to decode.",
        edits=[(DECODE, "model.decode(tgt_in, model.encode(src), src)"), ("    memory = model.encode(src)  # [B, S, D]\n", "")],
    ),
    Mistake(
        name="goes-on-to-max-length",
        says="Your answers are right, but you decode to max_length every time, though all sentences have long ended. Leave the "
        "loop when every row has said its end token.",
        edits=[("        if ended.all():\n            break\n", "")],
    ),
    Mistake(
        name="start-token-counted",
        says="You get one token less than max_length: your loop counts the start token too (tgt_in.size(1) < max_length). "
        "Of max_length 3, three tokens must come after it.",
        edits=[("range(max_length)", "range(max_length - 1)")],
    ),
    Mistake(
        name="gradients-recorded",
        says="Every step is recorded for a backward pass that never comes, and the memory grows with every word. Put "
        "torch.no_grad() (or torch.inference_mode()) around the translation.",
        edits=[("@torch.no_grad()\n", "")],
    ),
    Mistake(
        name="left-in-eval-mode",
        says="You leave the model in eval mode. Who looks at a translation in the middle of training would go on training "
        "without dropout, and not notice. Put it back: model.train(was_training).",
        edits=[("    model.train(was_training)\n", "")],
    ),
    Mistake(
        name="left-in-training-mode",
        says="You end with model.train(), whatever the mode was before: a model that was in eval mode is now back in "
        "training. Remember model.training at the beginning.",
        edits=[("model.train(was_training)", "model.train()")],
    ),
]  # fmt: skip
