// One look-up of one head, computed here from its queries, keys and values as equation 1 of the paper has it:
// softmax(q · k / √d_k) · v. The page compares the shares with those the model recorded.
import type { Hidden } from "./mask";
import type { Arithmetic } from "./types";

/** So many lines a table may have: one of more is no longer read as a whole. */
export const LINES = 14;

export interface Place {
  at: number;
  key: number[];
  value: number[];
  hidden: Hidden;
  dot: number; // q · k
  score: number; // divided by √d_k
  power: number; // e to the score; 0 where hidden
  share: number; // of the sum of all powers
}

export interface LookUp {
  query: number[];
  root: number; // √d_k
  places: Place[];
  sum: number; // of the powers
  mixture: number[];
}

export function lookUp(numbers: Arithmetic, row: number, mask: (q: number, k: number) => Hidden): LookUp {
  const query = numbers.queries[row];
  const root = Math.sqrt(query.length);
  const scored = numbers.keys.map((key, at) => {
    const dot = products(query, key).reduce((sum, product) => sum + product, 0);
    const hidden = mask(row, at);
    const score = dot / root;
    return { at, key, value: numbers.values[at], hidden, dot, score, power: hidden ? 0 : Math.exp(score) };
  });
  const sum = scored.reduce((total, place) => total + place.power, 0);
  // A row that may look nowhere mixes nothing: zeros, as in the model.
  const places = scored.map((place) => ({ ...place, share: sum > 0 ? place.power / sum : 0 }));
  const mixture = query.map((_, i) => places.reduce((total, place) => total + place.share * place.value[i], 0));
  return { query, root, places, sum, mixture };
}

export function products(a: number[], b: number[]): number[] {
  return a.map((number, i) => number * b[i]);
}

/** The places worth a line: all of them, or of many those with the largest shares and the one that must be there; in order. */
export function worthALine(places: Place[], most: number, needed: number): Place[] {
  const worth = (place: Place) => (place.at === needed ? 1 : place.share);
  const best = [...places].sort((a, b) => worth(b) - worth(a)).slice(0, most);
  return best.sort((a, b) => a.at - b.at);
}
