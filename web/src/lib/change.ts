// One attention before and after an edit, over the words of both translations at once, so that cells can be compared.
import { align, type Pair } from "./diff";
import { joined, mean, sidesOf, tokensOf, type Side, type Token } from "./tokens";
import type { Matrix, Translation } from "./types";
import type { View } from "./view";

export interface Slot extends Pair {
  token: Token;
}

export interface Change {
  rows: Slot[];
  columns: Slot[];
  before: (number | null)[][]; // null: that word is not in this translation
  after: (number | null)[][];
}

/** A cell of both, and by how much it differs. */
export interface Move {
  row: number;
  column: number;
  before: number;
  after: number;
}

export function changeOf(before: Translation, after: Translation, name: string, view: Pick<View, "head" | "words">): Change | null {
  const weights = [before, after].map((translation) => weightsOf(translation, name, view));
  if (!weights[0] || !weights[1]) return null;
  const sides = sidesOf(name);
  const rows = slots(before, after, sides.rows, view.words);
  const columns = slots(before, after, sides.columns, view.words);
  const spread = (matrix: Matrix, which: "before" | "after") =>
    rows.map((row) =>
      columns.map((column) => {
        const [r, c] = [row[which], column[which]];
        return r === null || c === null ? null : matrix[r][c];
      }),
    );
  return { rows, columns, before: spread(weights[0], "before"), after: spread(weights[1], "after") };
}

function weightsOf(translation: Translation, name: string, { head, words }: Pick<View, "head" | "words">): Matrix | null {
  const heads = translation.attention[name];
  if (!heads?.length) return null;
  const { rows, columns } = sidesOf(name);
  const weights = typeof head === "number" ? (heads[head] ?? heads[0]) : mean(heads);
  return joined(weights, tokensOf(translation, rows, words), tokensOf(translation, columns, words));
}

function slots(before: Translation, after: Translation, side: Side, words: boolean): Slot[] {
  const [old, now] = [tokensOf(before, side, words), tokensOf(after, side, words)];
  const pairs = align(old.map(({ label }) => label), now.map(({ label }) => label));
  return pairs.map((pair) => ({ ...pair, token: pair.after === null ? old[pair.before!] : now[pair.after] }));
}

/** The cells that both have, those that moved most first. */
export function movesOf({ before, after }: Change): Move[] {
  const moves: Move[] = [];
  before.forEach((weights, row) =>
    weights.forEach((old, column) => {
      const now = after[row][column];
      if (old !== null && now !== null) moves.push({ row, column, before: old, after: now });
    }),
  );
  return moves.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}
