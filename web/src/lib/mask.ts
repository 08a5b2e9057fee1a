// Which places an attention may not look at, and why: what came out as 0 because it was hidden, not because it was dull.
import type { Token } from "./tokens";
import type { Translation } from "./types";

/** "later": not written yet; "edit": somebody made the run ignore it; "": may be looked at. */
export type Hidden = "" | "later" | "edit";

/** Why row q of an attention may not look at column k, both counted in subwords. */
export function maskOf(translation: Translation, attention: string): (q: number, k: number) => Hidden {
  if (attention.startsWith("decoder") && attention.endsWith("self")) return (q, k) => (k > q ? "later" : "");
  const ignored = new Set(translation.edits?.source_hidden ?? []);
  return (_, k) => (ignored.has(k) ? "edit" : "");
}

/** The same for words: hidden is what no part of the row's word may see. */
export function joinedMask(mask: (q: number, k: number) => Hidden, rows: Token[], columns: Token[]): (q: number, k: number) => Hidden {
  return (row, column) => {
    let reason: Hidden = "";
    for (const q of rows[row].places) {
      for (const k of columns[column].places) {
        reason = mask(q, k);
        if (!reason) return "";
      }
    }
    return reason;
  };
}
