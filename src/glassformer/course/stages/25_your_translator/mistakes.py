"""What people get wrong at the joints."""

from glassformer.course.mistakes import Mistake

IDS = "ids.append((tokenizer.encode_source(english)[:-1], tokenizer.encode_target(hindi)[:-1]))"
LOSS = "return smoothed_loss(logits, tgt_out, tokenizer.pad_id, smoothing)"
SEARCH = "found = greedy(model, src, tokenizer.bos_id, tokenizer.eos_id, max_length=2 * len(ids) + 10)"

MISTAKES = [
    Mistake(
        name="layer-counts-swapped",
        says="Your encoder gets the decoder's number of layers and the other way round. The encoder's comes first.",
        edits=[
            (
                "config.n_encoder_layers,\n        config.n_decoder_layers,",
                "config.n_decoder_layers,\n        config.n_encoder_layers,",
            )
        ],
    ),
    Mistake(
        name="dropout-forgotten",
        says="config.dropout does not reach your model: in training, two runs with 0.5 give the same numbers.",
        edits=[("        dropout=config.dropout,\n", "")],
    ),
    Mistake(
        name="placement-forgotten",
        says="config.norm_placement does not reach your model: asked for pre it builds post. In your Transformer the argument is "
        "called `placement`.",
        edits=[("        placement=config.norm_placement,\n", "")],
    ),
    Mistake(
        name="pad-forgotten",
        says="config.pad_id does not reach your model: where the pad has another id than 0, its masks hide nothing.",
        edits=[("        pad_id=config.pad_id,\n", "")],
    ),
    Mistake(
        name="max-length-forgotten",
        says="config.max_length does not reach your model: its table of positions has 256 rows whatever is asked for, and a "
        "longer sentence stops it with an error.",
        edits=[("        max_length=config.max_length,\n", "")],
    ),
    Mistake(
        name="end-twice",
        says="Your sentences end twice: the tokenizer's ids have an end token, and your make_batch puts on another. The model "
        "would learn to say the end after the end. Cut one off: [:-1].",
        edits=[(IDS, "ids.append((tokenizer.encode_source(english), tokenizer.encode_target(hindi)))")],
    ),
    Mistake(
        name="languages-swapped",
        says="You train from Hindi to English: in make_batch the source comes first.",
        edits=[(IDS, "ids.append((tokenizer.encode_target(hindi)[:-1], tokenizer.encode_source(english)[:-1]))")],
    ),
    Mistake(
        name="hindi-read-as-english",
        says="You encode the Hindi sentence with encode_source, which knows English words: nearly every token becomes the "
        "unknown one. The target has a method of its own.",
        edits=[(IDS, "ids.append((tokenizer.encode_source(english)[:-1], tokenizer.encode_source(hindi)[:-1]))")],
    ),
    Mistake(
        name="not-shifted",
        says="You hold the logits against tgt_in, the decoder's own input: the model would learn to copy what it is given, with "
        "a loss near zero and nothing to say when it is alone. Against tgt_out.",
        edits=[(LOSS, "return smoothed_loss(logits, tgt_in, tokenizer.pad_id, smoothing)")],
    ),
    Mistake(
        name="smoothing-forgotten",
        says="Your loss is the same whatever `smoothing` is: hand it on.",
        edits=[(LOSS, "return smoothed_loss(logits, tgt_out, tokenizer.pad_id, 0.1)")],
    ),
    Mistake(
        name="loss-is-a-number",
        says="Your loss has no gradient any more: .item(), .detach() or a torch.no_grad stands in the way. backward needs the "
        "tensor itself.",
        edits=[(LOSS, "return smoothed_loss(logits, tgt_out, tokenizer.pad_id, smoothing).detach()")],
    ),
    Mistake(
        name="source-without-its-end",
        says="The source has lost its end token on the way to the model. In training every source had one: there make_batch put "
        "it on; here encode_source has, so keep it.",
        edits=[("src = torch.tensor([ids])", "src = torch.tensor([ids[:-1]])")],
    ),
    Mistake(
        name="begun-with-the-end",
        says="Your translation begins with the end token: bos_id and eos_id are swapped in the call of greedy.",
        edits=[(SEARCH, SEARCH.replace("tokenizer.bos_id, tokenizer.eos_id", "tokenizer.eos_id, tokenizer.bos_id"))],
    ),
    Mistake(
        name="cut-at-the-length-of-the-source",
        says='Your translation is cut after as many tokens as the source has. Hindi often needs more: "I like pizza." has '
        'three words, "मुझे पिज़्ज़ा पसंद है।" four. Allow twice the length and ten.',
        edits=[("max_length=2 * len(ids) + 10", "max_length=len(ids)")],
    ),
    Mistake(
        name="hindi-written-as-english",
        says="You make the text with decode_source, which knows English: the model's Hindi comes out as unknown words. Use "
        "decode_target.",
        edits=[("tokenizer.decode_target(found[0])", "tokenizer.decode_source(found[0])")],
    ),
]
