// What is in view, as an address and back: #view=heads&q=I+like+pizza&attention=decoder.1.cross&head=2
import type { Edits } from "./types";

export const VIEWS = ["translate", "heads", "arithmetic", "way", "beams", "whatif"] as const;
export type ViewName = (typeof VIEWS)[number];

export const PRUNED = ["all", "near", "none"] as const;
export type Pruned = (typeof PRUNED)[number];

export interface View {
  view: ViewName;
  q: string;
  attention: string; // "" : the last cross-attention
  head: number | "mean" | "all";
  place: number | null; // the row looked at: a token, counted in subwords
  words: boolean;
  beam: number | null; // null: as the run has it
  alpha: number | null;
  part: string; // of the model, in The way through
  stack: "encoder" | "decoder"; // whose vectors are compared there
  beside: number | null; // the token that `place` is compared with
  node: number | null; // of the search, in Beams; null: the winner
  pruned: Pruned | ""; // which pruned candidates are drawn; "": as many as are still legible
  edits: Edits;
}

export function readView(hash: string): View {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const view = given.get("view") as ViewName;
  const head = given.get("head") ?? "mean";
  return {
    view: VIEWS.includes(view) ? view : "translate",
    q: given.get("q") ?? "",
    attention: given.get("attention") ?? "",
    head: head === "mean" || head === "all" ? head : (natural(head) ?? "mean"),
    place: natural(given.get("place")),
    words: given.get("words") !== "0",
    beam: within(natural(given.get("beam")), 1, 16),
    alpha: within(number(given.get("alpha")), 0, 5),
    part: given.get("part") ?? "",
    stack: given.get("stack") === "decoder" ? "decoder" : "encoder",
    beside: natural(given.get("beside")),
    node: natural(given.get("node")),
    pruned: PRUNED.find((kind) => kind === given.get("pruned")) ?? "",
    edits: {
      heads_off: readHeads(given.get("off") ?? ""),
      layers_skipped: list(given.get("skip")),
      source_hidden: list(given.get("hide")).map(Number).filter(Number.isInteger),
    },
  };
}

export function writeView(view: View): string {
  const given = new URLSearchParams();
  const put = (name: string, value: string | number | null, unless: string | number | null) => {
    if (value !== null && value !== unless) given.set(name, String(value));
  };
  put("view", view.view, "");
  put("q", view.q, "");
  put("attention", view.attention, "");
  put("head", view.head, "mean");
  put("place", view.place, null);
  put("words", view.words ? 1 : 0, 1);
  put("beam", view.beam, null);
  put("alpha", view.alpha, null);
  put("part", view.part, "");
  put("stack", view.stack, "encoder");
  put("beside", view.beside, null);
  put("node", view.node, null);
  put("pruned", view.pruned, "");
  put("off", writeHeads(view.edits.heads_off), "");
  put("skip", view.edits.layers_skipped.join(","), "");
  put("hide", view.edits.source_hidden.join(","), "");
  return given.toString();
}

/** "decoder.0.cross:1.3,encoder.0.self:0" */
function readHeads(text: string): Record<string, number[]> {
  const off: Record<string, number[]> = {};
  for (const entry of list(text)) {
    const [name, heads] = entry.split(":");
    const numbers = (heads ?? "").split(".").map(natural);
    off[name] = numbers.filter((head): head is number => head !== null);
  }
  return off;
}

function writeHeads(off: Record<string, number[]>): string {
  const entries = Object.entries(off).filter(([, heads]) => heads.length > 0);
  return entries.map(([name, heads]) => `${name}:${heads.join(".")}`).join(",");
}

const list = (text: string | null): string[] => (text ? text.split(",") : []);

/** The nearest that the server takes. */
function within(value: number | null, least: number, most: number): number | null {
  return value === null ? null : Math.min(Math.max(value, least), most);
}

function natural(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

function number(text: string | null): number | null {
  return text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}
