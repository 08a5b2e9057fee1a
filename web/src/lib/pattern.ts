// What kind of pattern a head's weights make, by measurement. The rules, in this order:
//
// 1. Only rows that have a choice count: those that may look at two places or more.
// 2. "even": the entropy of the rows is on average at least 0.9 of what it could be.
// 3. Candidates: the place itself, the one before, the one after (self-attention); the straight line from the first word to
//    the last (cross-attention); one and the same column for all rows. A candidate's share is the mean weight on its cells,
//    over the rows that have such a cell. The largest wins if it is at least 0.4 and 1.5 times what even weights would give.
// 4. "single": no candidate won, but the largest weight of a row is on average at least 0.5. Else "mixed".
//
// Counted in subwords, so that it does not depend on how the picture is drawn.
import type { Hidden } from "./mask";
import { percent, type Token } from "./tokens";
import type { Matrix } from "./types";

export type Kind = "itself" | "last" | "before" | "after" | "diagonal" | "start" | "end" | "one" | "even" | "single" | "mixed";

export interface Pattern {
  kind: Kind;
  /** A word or two, for under a thumbnail. */
  short: string;
  /** For the caption. */
  sentence: string;
}

const EVEN = 0.9;
const MOSTLY = 0.4;
const ABOVE_CHANCE = 1.5;
const SINGLE = 0.5;

export const KIND_TITLES: Record<Kind, string> = {
  itself: "the word itself",
  last: "the word just written",
  before: "the word before",
  after: "the word after",
  diagonal: "along the diagonal",
  start: "the start",
  end: "the end",
  one: "all at one word",
  even: "spread evenly",
  single: "one word each",
  mixed: "mixed",
};

interface Candidate {
  kind: Kind;
  column: number;
  cells: (q: number) => number[];
}

export function patternOf(weights: Matrix, attention: string, columns: Token[], mask: (q: number, k: number) => Hidden): Pattern {
  const visible = weights.map((row, q) => row.flatMap((_, k) => (mask(q, k) ? [] : [k])));
  const rows = weights.map((_, q) => q).filter((q) => visible[q].length > 1);
  if (rows.length === 0) return { kind: "mixed", short: "no choice", sentence: "There is only one place to look at." };
  const evenness = average(rows.map((q) => entropy(visible[q].map((k) => weights[q][k])) / Math.log(visible[q].length)));
  if (evenness >= EVEN) return { kind: "even", short: "evenly", sentence: "Spreads its attention almost evenly over all it may see." };

  const won = candidates(weights, attention)
    .map((candidate) => ({ ...candidate, ...measured(candidate, weights, rows, visible) }))
    .filter(({ share, chance }) => share >= Math.max(MOSTLY, ABOVE_CHANCE * chance))
    .sort((a, b) => b.share - a.share)[0];
  if (won) return described(won, won.share, attention.startsWith("decoder"), columns);

  const largest = average(rows.map((q) => Math.max(...weights[q])));
  const said = `the strongest look of a row is ${percent(largest)} on average.`;
  return largest >= SINGLE
    ? { kind: "single", short: "one each", sentence: `Most of each row is on one word: ${said}` }
    : { kind: "mixed", short: "mixed", sentence: `No simple pattern: ${said}` };
}

function candidates(weights: Matrix, attention: string): Candidate[] {
  const n_columns = weights[0].length;
  const steep = (n_columns - 1) / Math.max(weights.length - 1, 1);
  const found: Candidate[] = weights[0].map((_, k) => ({ kind: "one", column: k, cells: () => [k] }));
  if (attention.endsWith("cross")) {
    const near = (q: number) => [...new Set([Math.floor(q * steep), Math.ceil(q * steep)])];
    return [{ kind: "diagonal", column: -1, cells: near }, ...found];
  }
  const beside = (kind: Kind, step: number): Candidate => ({ kind, column: -1, cells: (q) => [q + step] });
  return [beside("itself", 0), beside("before", -1), beside("after", 1), ...found];
}

/** The mean weight on a candidate's cells, and what it would be if rows were even. */
function measured(candidate: Candidate, weights: Matrix, rows: number[], visible: number[][]): { share: number; chance: number } {
  const shares: number[] = [];
  const chances: number[] = [];
  for (const q of rows) {
    const cells = candidate.cells(q).filter((k) => visible[q].includes(k));
    // A column stands for all rows: where it is hidden it has nothing. The first row has no word before it: it does not count.
    if (cells.length === 0 && candidate.column < 0) continue;
    shares.push(cells.reduce((sum, k) => sum + weights[q][k], 0));
    chances.push(cells.length / visible[q].length);
  }
  return { share: average(shares), chance: average(chances) };
}

function described({ kind, column }: Candidate, share: number, decoder: boolean, columns: Token[]): Pattern {
  const looks = (where: string) => `Looks mostly at ${where}: ${percent(share)} of a row on average.`;
  const token = columns[column];
  if (token?.mark && token.label === "end") return { kind: "end", short: "the end", sentence: looks("the end of the sentence") };
  if (token?.mark && token.label === "start") return { kind: "start", short: "the start", sentence: looks("the start") };
  if (token) return { kind, short: `“${token.label}”`, sentence: looks(`“${token.label}”`) };
  if (kind === "diagonal") return { kind, short: "diagonal", sentence: `Follows the diagonal, word by word: ${percent(share)} of a row on average.` };
  if (kind === "before") return { kind, short: "word before", sentence: looks(decoder ? "the word before the last one written" : "the word before") };
  if (kind === "after") return { kind, short: "word after", sentence: looks("the word after") };
  // The decoder's own place holds the word written last: that is what it was given there.
  return decoder ? { kind: "last", short: "last word", sentence: looks("its own place, which holds the word just written") } : { kind, short: "itself", sentence: looks("the word itself") };
}

function entropy(weights: number[]): number {
  return weights.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log(weight) : sum), 0);
}

function average(numbers: number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
