// Where everything of the model's diagram stands. Two columns grow from the bottom up, as in figure 1 of the paper.
import { Column, type Chip, type Drawn, type Measures } from "./column";
import { count, type Anatomy } from "./shape";
import type { Token } from "./tokens";

export interface Diagram extends Drawn {
  width: number;
  top: number; // y of the upper edge: the bottom is near 0, and up is negative
  height: number;
  compact: boolean;
  measures: Measures;
  legend: { x: number; y: number; lines: string[] };
}

export interface Tokens {
  source: Token[];
  given: Token[];
  target: Token[];
}

const WIDE: Measures = { box: 46, norm: 28, gap: 22, pad: 16, rail: 20, chip: 27, title: 14, small: 11.5, rows: 3, loop: 38 };
const NARROW: Measures = { box: 44, norm: 26, gap: 20, pad: 8, rail: 13, chip: 25, title: 12, small: 10.5, rows: 6, loop: 14 };

export function drawDiagram(model: Anatomy, tokens: Tokens, room: number): Diagram {
  const compact = room < 600;
  const measures = compact ? NARROW : WIDE;
  const { pad, rail, loop } = measures;
  const between = compact ? 20 : Math.min(96, Math.max(56, room - 620));
  const fixed = 2 + 4 * pad + 2 * rail + between + loop + 4;
  const box = Math.min(240, Math.max(96, Math.floor((room - fixed) / 2)));
  const left = 2 + pad + rail;
  const right = left + box + pad + between + pad;
  const drawn: Drawn = { blocks: [], wires: [], frames: [], notes: [], chips: [], sums: [] };

  const encoder = new Column(drawn, measures, "source", left, box, left - rail);
  const memory = drawEncoder(encoder, model, tokens.source);
  const decoder = new Column(drawn, measures, "target", right, box, right + box + rail);
  const { cross, given, chosen } = drawDecoder(decoder, model, tokens);
  joinMemory(drawn, memory, cross, left + box, right, right - pad - between / 2);
  goBack(drawn, chosen, given, right + box + rail + pad + 12);

  const top = Math.min(encoder.y, decoder.y) - 8;
  const width = right + box + rail + pad + loop;
  const legend = { x: left - rail - pad, y: top + 8, lines: legendOf(model, tokens) };
  return { ...drawn, width, top, height: 6 - top, compact, measures, legend };
}

function drawEncoder(column: Column, model: Anatomy, source: Token[]): number {
  const shape = `${source.length} × ${model.width}`;
  column.tokens("source-tokens", source);
  column.box("embedding", "embedding", "ends", "Source embedding", model.sourceTokens ? `${count(model.sourceTokens)} × ${model.width}` : "", `${source.length} ids`);
  if (!model.rotary) column.positions("source-positions", -1);
  column.layer("encoder_layer", "encoder layer", model.encoderLayers, skipped(model, "encoder"), shape, () => {
    const attention = column.sublayer("self_attention", "self_attention", "attention", "Self-attention", heads(model), model.normFirst, "qkv");
    if (model.rotary) column.turn("source-positions", attention, 1);
    column.sublayer("encoder_feed_forward", "feed_forward", "forward", "Feed-forward", inner(model), model.normFirst, "");
  });
  if (model.finalNorm) column.box("encoder_norm", "final_norm", "norm", "Final norm");
  return column.box("memory", "memory", "memory", "Memory", shape).y;
}

function drawDecoder(column: Column, model: Anatomy, { given, target }: Tokens): { cross: number; given: Chip[]; chosen: Chip[] } {
  const shape = `${given.length} × ${model.width}`;
  const entering = column.tokens("given-tokens", given);
  column.box("target_embedding", "target_embedding", "ends", "Target embedding", model.targetTokens ? `${count(model.targetTokens)} × ${model.width}` : "", `${given.length} ids`);
  if (!model.rotary) column.positions("target-positions", 1);
  let cross = 0;
  column.layer("decoder_layer", "decoder layer", model.decoderLayers, skipped(model, "decoder"), shape, () => {
    const attention = column.sublayer("masked_attention", "masked_attention", "attention", "Masked self-attention", heads(model), model.normFirst, "qkv");
    if (model.rotary) column.turn("target-positions", attention, -1);
    cross = column.sublayer("cross_attention", "cross_attention", "attention", "Cross-attention", heads(model), model.normFirst, "q").y;
    column.sublayer("decoder_feed_forward", "feed_forward", "forward", "Feed-forward", inner(model), model.normFirst, "");
  });
  if (model.finalNorm) column.box("decoder_norm", "final_norm", "norm", "Final norm");
  column.box("projection", "projection", "ends", "Projection", model.targetTokens ? `${model.width} → ${count(model.targetTokens)}` : "", shape);
  column.box("softmax", "softmax", "norm", "Softmax", "", model.targetTokens ? `${given.length} × ${count(model.targetTokens)}` : "");
  column.box("search", "search", "ends", "Search", "chooses the tokens", "probabilities");
  const chosen = column.tokens("target-tokens", target);
  return { cross, given: entering, chosen };
}

/** Keys and values: from the memory over to the cross-attention. */
function joinMemory(drawn: Drawn, memory: number, cross: number, from: number, to: number, middle: number): void {
  const start = memory + 20;
  for (const [offset, name] of [[-8, "k"], [8, "v"]] as const) {
    const y = cross + 23 + offset;
    const down = y > start;
    // Two lines side by side all the way, never across each other: on the way down, the upper one turns later.
    const x = middle + (down ? -offset : offset) / 2;
    const bend = Math.min(10, Math.abs(y - start) / 2);
    const turn = down ? bend : -bend;
    const out = start + offset / 2;
    drawn.wires.push({
      kind: "memory",
      d: `M${from} ${out} H${x - bend} Q${x} ${out} ${x} ${out + turn} V${y - turn} Q${x} ${y} ${x + bend} ${y} H${to - 6}`,
      head: `M${to} ${y} l-8 -4 v8 z`,
    });
    drawn.notes.push({ x: to - 12, y: y - 4.5, text: name, anchor: "start", letter: true });
  }
}

/** What was chosen goes back in at the bottom. */
function goBack(drawn: Drawn, chosen: Chip[], given: Chip[], rail: number): void {
  const last = chosen.at(-1);
  const first = given[0];
  if (!last || !first) return;
  const [up, down] = [chosen[0].y + 13, first.y + 13];
  const from = Math.max(...chosen.filter((chip) => chip.y === chosen[0].y).map((chip) => chip.x + chip.width)) + 4;
  const to = Math.max(...given.filter((chip) => chip.y === first.y).map((chip) => chip.x + chip.width)) + 5;
  drawn.wires.push({
    kind: "loop",
    d: `M${from} ${up} H${rail - 12} Q${rail} ${up} ${rail} ${up + 12} V${down - 12} Q${rail} ${down} ${rail - 12} ${down} H${to + 5}`,
    head: `M${to} ${down} l8 -4 v8 z`,
  });
  drawn.notes.push({ x: rail + 13, y: (up + down) / 2, text: "what was chosen goes back in", anchor: "middle", upright: true });
}

function legendOf(model: Anatomy, tokens: Tokens): string[] {
  return [
    model.languages,
    `${count(model.parameters)} parameters`,
    `${tokens.source.length} source tokens (S)`,
    `${tokens.target.length} target tokens (T)`,
    `vectors of ${model.width} numbers`,
    `${model.heads} heads of ${model.width / model.heads}`,
    ...(model.inner ? [`${model.inner} inside feed-forward`] : []),
  ];
}

const heads = (model: Anatomy): string => `${model.heads} heads of ${model.width / model.heads}`;
const inner = (model: Anatomy): string => (model.inner ? `${model.width} → ${count(model.inner)} → ${model.width}` : "");
const skipped = (model: Anatomy, stack: string): number => model.skipped.filter((name) => name.startsWith(stack)).length;
