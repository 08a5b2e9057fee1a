"""What people get wrong about the loop."""

from glassformer.course.mistakes import Mistake

TRAIN_MODE = "    model.train()\n    losses"
BATCH = "batch = batches[(step - 1) % len(batches)]"
RATE = """        rate = rate_of_step(step)
        for group in optimizer.param_groups:
            group["lr"] = rate
"""
CLEAR = "        optimizer.zero_grad()\n"
BACKWARD = "        loss.backward()\n"
STEP = "        optimizer.step()\n"
KEEP = "losses.append(loss.item())"
TOTAL = "total += loss_of(model, batch).item() * n"
RESTORE = "    model.train(was_training)\n"

MISTAKES = [
    Mistake(
        name="no-zero_grad",
        says="The gradients are never cleared. backward *adds* to them, so the second step follows the sum of the first and the "
        "second gradient, the third of three, and so on: your first step is right and the second is not. optimizer.zero_grad() "
        "belongs into every step.",
        edits=[(CLEAR, "")],
    ),
    Mistake(
        name="zero_grad-between-backward-and-step",
        says="You clear the gradients after backward and before the step: the step finds none, and no weight changes. Clear, then "
        "backward, then step.",
        edits=[(CLEAR, ""), (BACKWARD, BACKWARD + CLEAR)],
    ),
    Mistake(
        name="no-backward",
        says="You never call loss.backward(): there are no gradients, so optimizer.step() changes nothing, without a word.",
        edits=[(BACKWARD, "")],
    ),
    Mistake(
        name="no-step",
        says="You compute gradients and never use them: optimizer.step() is missing.",
        edits=[(STEP, "")],
    ),
    Mistake(
        name="step-before-backward",
        says="You step before you go backward: the first step has no gradient at all. First loss.backward(), then "
        "optimizer.step().",
        edits=[(BACKWARD, ""), (STEP, STEP + BACKWARD)],
    ),
    Mistake(
        name="step-before-backward-and-late-zero_grad",
        says="You step before backward and clear the gradients after it has used them: each step follows the gradient of the step "
        "before. In a step: zero_grad, loss, backward, step.",
        edits=[(CLEAR, ""), (BACKWARD, ""), (STEP, STEP + CLEAR + BACKWARD)],
    ),
    Mistake(
        name="rate-set-after-the-step",
        says="You set the rate after optimizer.step(): every step takes the rate of the one before, and the first takes whatever the "
        "optimizer was made with (0.9 here, where 0.5 was wanted). Set it before the step.",
        edits=[(RATE, ""), (STEP, STEP + RATE)],
    ),
    Mistake(
        name="schedule-a-step-ahead",
        says="Your rates are those of the next step: the schedule moved on before the optimizer stepped (in torch's words, "
        "scheduler.step() before optimizer.step()), and the first rate was never used. Step 1 takes rate_of_step(1).",
        edits=[("rate = rate_of_step(step)", "rate = rate_of_step(step + 1)")],
    ),
    Mistake(
        name="steps-from-zero",
        says="You ask for the rate of step 0. Steps count from 1 (stage 19): range(1, n_steps + 1), or rate_of_step(step + 1).",
        edits=[("rate = rate_of_step(step)", "rate = rate_of_step(step - 1)")],
    ),
    Mistake(
        name="rate-never-set",
        says="The optimizer still has the rate it was made with: rate_of_step is not used. Set group[\"lr\"] in every step.",
        edits=[(RATE, "")],
    ),
    Mistake(
        name="rate-of-the-first-group-only",
        says="You set the rate in the first group of the optimizer only. There may be several (with weight decay and without, say), "
        "and the others kept 0.9: go through optimizer.param_groups.",
        edits=[(RATE, '        optimizer.param_groups[0]["lr"] = rate_of_step(step)\n')],
    ),
    Mistake(
        name="loss-kept-with-its-graph",
        says="You keep the loss as a tensor, and with it the whole graph behind it: every activation of every step stays in memory, "
        "until there is none left. Keep the number: loss.item().",
        edits=[(KEEP, "losses.append(loss)")],
    ),
    Mistake(
        name="loss-kept-as-a-tensor",
        says="You keep the loss as a tensor. It is detached, so no graph hangs on it, but a list of plain numbers is wanted, which "
        "can be printed, drawn and written to a file: loss.item().",
        edits=[(KEEP, "losses.append(loss.detach())")],
    ),
    Mistake(
        name="loss-after-the-step",
        says="You report the loss after the step, run a second time on the same batch. It looks better than it is and costs half as "
        "much again: note the loss that you went backward from.",
        edits=[(KEEP, "losses.append(loss_of(model, batch).item())")],
    ),
    Mistake(
        name="always-the-first-batch",
        says="Every step takes the first batch. The model learns that one by heart and nothing else: step s takes batch number s - 1, "
        "round and round.",
        edits=[(BATCH, "batch = batches[0]")],
    ),
    Mistake(
        name="first-batch-left-out",
        says="You begin with batches[1]: steps count from 1, places in a list from 0. Step 1 takes batches[0].",
        edits=[(BATCH, "batch = batches[step % len(batches)]")],
    ),
    Mistake(
        name="one-round-only",
        says="You stop when the batches are used up once. n_steps may be many times their number: begin again with the first one.",
        edits=[("for step in range(1, n_steps + 1):", "for step in range(1, min(n_steps, len(batches)) + 1):")],
    ),
    Mistake(
        name="one-step-too-few",
        says="You take one step too few: range(1, n) ends before n. It is range(1, n_steps + 1).",
        edits=[("for step in range(1, n_steps + 1):", "for step in range(1, n_steps):")],
    ),
    Mistake(
        name="train-mode-missing",
        says="You never call model.train(). A model that has just been validated or has translated is in eval mode, and trains on "
        "without any dropout: it will look fine and overfit.",
        edits=[(TRAIN_MODE, "    losses")],
    ),
    Mistake(
        name="eval-mode-forgotten",
        says="You validate with dropout on: half of the numbers are struck out at random, so the loss is worse than the model, and "
        "different each time you ask. model.eval() before, and the old mode back after.",
        edits=[("    model.eval()\n", "")],
    ),
    Mistake(
        name="train-mode-not-restored",
        says="After your validation the model stays in eval mode, and the training goes on without dropout from there. Remember "
        "model.training before, and put it back: model.train(was_training).",
        edits=[(RESTORE, "")],
    ),
    Mistake(
        name="train-mode-whatever-it-was",
        says="You end in training mode whatever the model came in. A model that was ready to translate now has dropout on and gives "
        "other words each time. Put back what was: model.train(was_training).",
        edits=[(RESTORE, "    model.train()\n")],
    ),
    Mistake(
        name="mean-of-means",
        says="You take the mean of the batches' means. A batch of 2 tokens then counts as much as one of 6. Multiply each mean by "
        "its number of real tokens, sum, and divide once by all of them (11 here).",
        edits=[(TOTAL, "total += loss_of(model, batch).item()"), ("n_tokens += n", "n_tokens += 1")],
    ),
    Mistake(
        name="pads-weigh-too",
        says="You weigh each batch by all its places, pads included. The batch of 2 real tokens and 2 pads counts as 4. Count places "
        "where tgt_out is not pad_id.",
        edits=[("n = int((batch[2] != pad_id).sum())", "n = batch[2].numel()")],
    ),
    Mistake(
        name="sentences-counted",
        says="You weigh each batch by its number of sentences. They have different lengths: count the real tokens of tgt_out.",
        edits=[("n = int((batch[2] != pad_id).sum())", "n = len(batch[2])")],
    ),
    Mistake(
        name="source-tokens-counted",
        says="You count the real tokens of the source. The loss is a mean over the target's: batch[2], which is tgt_out.",
        edits=[("n = int((batch[2] != pad_id).sum())", "n = int((batch[0] != pad_id).sum())")],
    ),
    Mistake(
        name="gradients-kept-while-validating",
        says="You validate with gradients on: torch keeps everything for a backward that never comes, and the memory is gone that your "
        "training needs. Put the loop into `with torch.no_grad():`.",
        edits=[("with torch.no_grad():", "if True:")],
    ),
]  # fmt: skip
