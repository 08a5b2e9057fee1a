// Where two lists of tokens stand, and the curves between them: side by side where they fit, else one under the other.
import { linkHorizontal, linkVertical } from "d3-shape";
import { widthOf } from "./letters";
import type { Token } from "./tokens";

export interface Place {
  x: number;
  y: number;
  width: number;
}

export interface Layout {
  across: boolean; // both lists run from left to right, the curves from above to below
  width: number;
  height: number;
  source: Place[];
  target: Place[];
  /** `aside`: pixels beside the middle, so that curves of several heads do not hide each other. */
  curve: (source: number, target: number, aside: number) => string;
}

const GAP = 10;

/** Letters of a size that suits the room; everything else is drawn in proportion to it. */
export function sizeFor(room: number): number {
  return Math.min(Math.max(room / 62, 15), 36);
}

/** The height of a token's box. */
export const boxHeight = (size: number): number => 2 * size;

export function measure(tokens: Token[], size: number): number[] {
  return tokens.map((token) => Math.max(widthOf(token.label, size) + 1.3 * size, 2 * size));
}

export function layOut(source: Token[], target: Token[], room: number, size: number): Layout {
  const widths = { source: measure(source, size), target: measure(target, size) };
  const total = (side: number[]) => side.reduce((sum, width) => sum + width + GAP, -GAP);
  const needed = Math.max(total(widths.source), total(widths.target)) + 2 * GAP;
  return needed <= room ? rows(widths, room, total, size) : columns(widths, room, size);
}

type Widths = { source: number[]; target: number[] };

function rows(widths: Widths, room: number, total: (side: number[]) => number, size: number): Layout {
  const tall = boxHeight(size);
  const depth = 10 * size;
  const spread = (side: number[], y: number): Place[] => {
    // Spread over the room, but not so far that a sentence falls apart.
    const slack = side.length > 1 ? Math.min((room - 2 * GAP - total(side)) / (side.length - 1), 2.6 * size) : 0;
    let x = (room - total(side) - slack * (side.length - 1)) / 2;
    return side.map((width) => {
      const place = { x: x + width / 2, y, width };
      x += width + GAP + slack;
      return place;
    });
  };
  const source = spread(widths.source, tall / 2 + 2);
  const target = spread(widths.target, tall / 2 + 2 + depth);
  const link = linkVertical<unknown, [number, number]>();
  const curve = (s: number, t: number, aside: number) =>
    link({
      source: [source[s].x + aside, source[s].y + tall / 2],
      target: [target[t].x + aside, target[t].y - tall / 2],
    }) ?? "";
  return { across: true, width: room, height: depth + tall + 4, source, target, curve };
}

function columns(widths: Widths, room: number, size: number): Layout {
  const line = 2.35 * size; // from one token to the one below it
  const longest = Math.max(widths.source.length, widths.target.length);
  // The shorter side is spread over the height of the longer: curves stay short, and neither side ends in a void.
  const step = (side: number[]) => (line * (longest - 1)) / Math.max(side.length - 1, 1);
  const wide = (side: number[]) => Math.min(Math.max(...side), room * 0.38);
  const stack = (side: number[], x: (width: number) => number): Place[] =>
    side.map((width, i) => ({ x: x(Math.min(width, wide(side))), y: size + 2 + i * step(side), width: Math.min(width, wide(side)) }));
  const source = stack(widths.source, (width) => wide(widths.source) - width / 2);
  const target = stack(widths.target, (width) => room - wide(widths.target) + width / 2);
  const link = linkHorizontal<unknown, [number, number]>();
  const curve = (s: number, t: number, aside: number) =>
    link({
      source: [source[s].x + source[s].width / 2, source[s].y + aside],
      target: [target[t].x - target[t].width / 2, target[t].y + aside],
    }) ?? "";
  return { across: false, width: room, height: longest * line + 4, source, target, curve };
}
