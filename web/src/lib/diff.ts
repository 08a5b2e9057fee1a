// What two lists of words have in common, and what only one of them has.

export interface Pair {
  before: number | null; // where it stands in the first list; null: only in the second
  after: number | null;
}

/** Both lists in one, by their longest common subsequence; what went stands before what came in its place. */
export function align(before: string[], after: string[]): Pair[] {
  // common[i][j]: how much the lists have in common from i and j on
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) pairs.push({ before: i++, after: j++ });
    else if (j >= after.length || (i < before.length && common[i + 1][j] >= common[i][j + 1])) pairs.push({ before: i++, after: null });
    else pairs.push({ before: null, after: j++ });
  }
  return pairs;
}
