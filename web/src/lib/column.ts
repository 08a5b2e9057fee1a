// One stack of the diagram, drawn from the bottom up: every call puts something on top and a wire below it.
import { widthOf } from "./letters";
import type { Token } from "./tokens";

export type Kind = "ends" | "attention" | "forward" | "norm" | "memory";
export type Side = "source" | "target";

export interface Block {
  key: string;
  part: string;
  kind: Kind;
  side: Side;
  title: string[]; // in lines
  note: string;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Wire {
  kind: "flow" | "skip" | "memory" | "loop";
  d: string;
  head: string; // the arrow's
}
/** A small round thing on a wire: a sum, or the wave that stands for positions. */
export interface Round {
  key: string;
  part: string;
  sign: "sum" | "wave";
  side: Side;
  x: number;
  y: number;
}
export interface Frame {
  part: string;
  side: Side;
  label: string;
  copies: number; // drawn behind it
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Note {
  x: number;
  y: number;
  text: string;
  anchor: "start" | "middle" | "end";
  letter?: boolean;
  roomy?: boolean; // left out where there is little room
  upright?: boolean;
}
export interface Chip {
  token: Token | null; // null: so many more
  label: string;
  x: number;
  y: number;
  width: number;
}
export interface Drawn {
  blocks: Block[];
  wires: Wire[];
  frames: Frame[];
  notes: Note[];
  chips: { key: string; side: Side; chips: Chip[]; y: number; height: number; x: number; width: number }[];
  sums: Round[];
}
/** Sizes that differ between a wide drawing and a narrow one. `rows`: of tokens, at most. `loop`: room for the way back. */
export interface Measures {
  box: number;
  norm: number;
  gap: number;
  pad: number;
  rail: number;
  chip: number;
  title: number;
  small: number;
  rows: number;
  loop: number;
}

const ROUND = 9; // the radius of a sum
const CHIP_GAP = 5;

export class Column {
  y = 0; // the top of what is drawn so far

  constructor(
    private readonly drawn: Drawn,
    private readonly measures: Measures,
    private readonly side: Side,
    private readonly left: number,
    private readonly width: number,
    private readonly rail: number, // x of the skip connections
  ) {}

  get middle(): number {
    return this.left + this.width / 2;
  }

  box(key: string, part: string, kind: Kind, title: string, note = "", below = ""): Block {
    const { gap, norm, box } = this.measures;
    this.wire(gap, below);
    const height = kind === "norm" ? norm : kind === "memory" ? 40 : box;
    const lines = this.inLines(title);
    // Two lines of title leave no room for a note; nor does a narrow box.
    const fits = lines.length === 1 && widthOf(note, this.measures.small) < this.width - 8;
    const block = { key, part, kind, side: this.side, title: lines, note: fits ? note : "", x: this.left, y: this.y - height, width: this.width, height };
    this.drawn.blocks.push(block);
    this.y -= height;
    return block;
  }

  /** The wave of the places is added. `way`: -1, it comes from the left. */
  positions(key: string, way: -1 | 1): void {
    this.wire(16);
    const y = this.y - ROUND;
    const wave = this.middle + way * (this.width / 2 - 15);
    this.drawn.wires.push({ kind: "flow", d: `M${wave - way * 15} ${y} H${this.middle + way * (ROUND + 6)}`, head: `M${this.middle + way * ROUND} ${y} l${way * 8} -4 v8 z` });
    this.drawn.notes.push({ x: wave - way * 20, y: y + 11, text: "positions", anchor: way < 0 ? "start" : "end", roomy: true });
    this.drawn.sums.push({ key, part: "positions", sign: "wave", side: this.side, x: wave, y });
    this.drawn.sums.push({ key: `${key}-sum`, part: "", sign: "sum", side: this.side, x: this.middle, y });
    this.y = y - ROUND;
  }

  /** Rotary positions turn queries and keys: the wave sits on the attention. */
  turn(key: string, attention: Block, way: -1 | 1): void {
    const x = attention.x + (way > 0 ? attention.width - 4 : 4);
    this.drawn.sums.push({ key, part: "positions", sign: "wave", side: this.side, x, y: attention.y });
  }

  /** A frame around what `content` draws, with its number of layers. */
  layer(part: string, name: string, layers: number, skipped: number, below: string, content: () => void): void {
    const { pad, rail, gap } = this.measures;
    this.wire(gap, below, false);
    const bottom = this.y;
    content();
    this.wire(16, "", false);
    const x = Math.min(this.left, this.rail) - pad;
    const frame = { part, side: this.side, label: `${layers} × ${name}${skipped ? ` · ${skipped} skipped` : ""}`, copies: Math.min(Math.max(layers - 1, 0), 2), x, y: this.y, width: this.width + rail + 2 * pad, height: bottom - this.y };
    this.drawn.frames.push(frame);
    this.wire(12, "", false);
  }

  /** Attention or feed-forward with its norm, its sum and the skip connection around it. */
  sublayer(key: string, part: string, kind: Kind, title: string, note: string, normFirst: boolean, inputs: string): Block {
    const tap = this.y - 8;
    if (normFirst) this.box(`${key}-norm`, "add_norm", "norm", "Norm");
    const under = this.y;
    this.wire(inputs.length > 1 ? 14 : 0, "", false);
    const block = this.box(key, part, kind, title, note);
    if (inputs) this.fork(under, block, inputs);
    if (normFirst) {
      this.wire(14);
      const y = this.y - ROUND;
      this.drawn.sums.push({ key: `${key}-sum`, part: "add_norm", sign: "sum", side: this.side, x: this.middle, y });
      this.skip(tap, y, this.middle + Math.sign(this.rail - this.middle) * ROUND);
      this.y = y - ROUND;
    } else {
      const norm = this.box(`${key}-norm`, "add_norm", "norm", "Add & norm");
      this.skip(tap, norm.y + norm.height / 2, this.rail > this.middle ? norm.x + norm.width : norm.x);
    }
    return block;
  }

  tokens(key: string, tokens: Token[]): Chip[] {
    const { chip, rows, title } = this.measures;
    if (this.y < 0) this.wire(this.measures.gap, `${tokens.length} ids`);
    const lines = this.chipLines(tokens, title - 1, rows);
    const height = lines.length * (chip + CHIP_GAP) - CHIP_GAP;
    const top = this.y - height;
    const placed = lines.flatMap((line, row) => {
      const total = line.reduce((sum, entry) => sum + entry.width + CHIP_GAP, -CHIP_GAP);
      let x = this.middle - total / 2;
      return line.map((entry) => {
        const here = { ...entry, x, y: top + row * (chip + CHIP_GAP) };
        x += entry.width + CHIP_GAP;
        return here;
      });
    });
    const edges = { x: Math.min(...placed.map((c) => c.x)), right: Math.max(...placed.map((c) => c.x + c.width)) };
    this.drawn.chips.push({ key, side: this.side, chips: placed, y: top, height, x: edges.x, width: edges.right - edges.x });
    this.y = top;
    return placed;
  }

  private chipLines(tokens: Token[], size: number, rows: number): Omit<Chip, "x" | "y">[][] {
    const widths = tokens.map((token) => Math.min(Math.max(widthOf(token.label, size) + 14, 24), this.width));
    const lines: Omit<Chip, "x" | "y">[][] = [[]];
    let used = 0;
    for (const [i, token] of tokens.entries()) {
      const last = lines.length === rows;
      const spare = last && i < tokens.length - 1 ? 46 : 0; // for "+ 12"
      if (used > 0 && used + widths[i] + spare > this.width) {
        if (last) {
          lines[lines.length - 1].push({ token: null, label: `+ ${tokens.length - i}`, width: 40 });
          break;
        }
        lines.push([]);
        used = 0;
      }
      lines[lines.length - 1].push({ token, label: token.label, width: widths[i] });
      used += widths[i] + CHIP_GAP;
    }
    return lines;
  }

  /** A piece of the way up, with a note beside it. */
  private wire(length: number, note = "", arrow = true): void {
    const to = this.y - length;
    const x = this.middle;
    this.drawn.wires.push({ kind: "flow", d: `M${x} ${this.y} V${to + (arrow ? 6 : 0)}`, head: arrow ? `M${x} ${to} l-4 8 h8 z` : "" });
    if (note) this.drawn.notes.push({ x: x + 9, y: this.y - length / 2 + 1, text: note, anchor: "start" });
    this.y = to;
  }

  /** The wire splits into query, key and value. */
  private fork(under: number, block: Block, inputs: string): void {
    const y = block.y + block.height;
    const spread = Math.min(block.width / 3.4, 58);
    const at = inputs.length > 1 ? [-spread, 0, spread] : [0];
    at.forEach((offset, i) => {
      const x = this.middle + offset;
      if (offset !== 0) {
        const start = under - 17;
        const turn = Math.sign(offset) * 8;
        this.drawn.wires.push({ kind: "flow", d: `M${this.middle} ${start} H${x - turn} Q${x} ${start} ${x} ${start - 8} V${y + 6}`, head: `M${x} ${y} l-4 8 h8 z` });
      }
      this.drawn.notes.push({ x: x + 7, y: y + 11, text: inputs[i], anchor: "start", letter: true });
    });
  }

  private skip(from: number, to: number, edge: number): void {
    const out = Math.sign(this.rail - this.middle);
    const [rail, bend] = [this.rail, 9];
    this.drawn.wires.push({
      kind: "skip",
      d: `M${this.middle} ${from} H${rail - out * bend} Q${rail} ${from} ${rail} ${from - bend} V${to + bend} Q${rail} ${to} ${rail - out * bend} ${to} H${edge + out * 6}`,
      head: `M${edge} ${to} l${out * 8} -4 v8 z`,
    });
  }

  private inLines(title: string): string[] {
    if (widthOf(title, this.measures.title) < this.width - 10 || !title.includes(" ")) return [title];
    const cut = title.indexOf(" ");
    return [title.slice(0, cut), title.slice(cut + 1)];
  }
}
