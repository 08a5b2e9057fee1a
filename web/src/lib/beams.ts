// The search as a tree to look at: which candidates are drawn and where they stand. Why they fared so: beamwhy.ts.
import { linkHorizontal } from "d3-shape";
import { readable } from "./tokens";
import type { SearchRecord } from "./types";
import type { Pruned } from "./view";

export const START = -1; // the parent of the first tokens
export const BOX = 48; // a candidate's height
const ROW = 58; // from one candidate to the one below it
const GAP = 40; // between two steps, for the curves
const TOP = 30; // the line that counts the steps
const MANY = 240; // candidates; above, only the winner's neighbours among the pruned ones are drawn

export interface Drawn {
  at: number; // in search.nodes; START
  parent: number;
  step: number;
  x: number; // its left edge
  y: number; // its middle
  width: number;
  label: string;
  mark: boolean;
  state: "start" | "kept" | "ended" | "pruned";
  wins: boolean; // on the way to the winner
}

export interface Tree {
  width: number;
  height: number;
  columns: Drawn[][]; // by step, from above to below
  links: { from: Drawn; to: Drawn; path: string }[];
}

/** The candidates on the way from the start to one of them, that one last. */
export function wayTo(search: SearchRecord, at: number): number[] {
  const way: number[] = [];
  for (let here = at; here >= 0; here = search.nodes[here].parent) way.unshift(here);
  return way;
}

/** What a hypothesis says so far. */
export function textSoFar(search: SearchRecord, at: number): string {
  const tokens = wayTo(search, at).map((i) => search.nodes[i].token);
  return tokens.filter((token) => token !== "</s>").map((token) => token.replace("<unk>", "�")).join("").replaceAll("▁", " ").trim();
}

export function childrenOf(search: SearchRecord): Map<number, number[]> {
  const children = new Map<number, number[]>();
  search.nodes.forEach(({ parent }, at) => {
    const siblings = children.get(parent);
    if (siblings) siblings.push(at);
    else children.set(parent, [at]);
  });
  return children;
}

/** Which pruned candidates are drawn when nobody has chosen. */
export function prunedByDefault(search: SearchRecord): Pruned {
  return search.nodes.length > MANY ? "near" : "all";
}

function isDrawn(search: SearchRecord, pruned: Pruned): (at: number) => boolean {
  const near = new Set([START, ...wayTo(search, search.winner)]);
  return (at) => {
    const { state, parent } = search.nodes[at];
    return state !== "pruned" || pruned === "all" || (pruned === "near" && near.has(parent));
  };
}

/** A column a step. In each, candidates stand in the order of their parents, so that no two lines cross; the winner's
 * way runs straight along the top, and others stay level with their parents as far as there is room. */
export function layOutTree(search: SearchRecord, pruned: Pruned, widthOf: (label: string, state: Drawn["state"]) => number): Tree {
  const wins = new Set(wayTo(search, search.winner));
  const steps = drawnByStep(search, isDrawn(search, pruned), wins);
  const rows = Math.max(1, ...steps.map((step) => step.length));
  const gap = GAP + 2 * rows; // steep curves lie on each other
  const start: Drawn = {
    at: START, parent: START - 1, step: 0, x: 2, y: TOP + BOX / 2, width: widthOf("start", "start"), label: "start", mark: true, state: "start", wins: true,
  }; // prettier-ignore
  const placed = new Map([[START, { drawn: start, row: 0 }]]);
  const columns: Drawn[][] = [[start]];
  let x = start.x + start.width + gap;
  for (const step of steps) {
    const labels = step.map((at) => readable(search.nodes[at].token));
    const width = Math.max(...step.map((at, i) => widthOf(labels[i].label, search.nodes[at].state)));
    let last = -1;
    columns.push(
      step.map((at, i) => {
        const { parent, state, step: number } = search.nodes[at];
        const row = Math.min(Math.max(placed.get(parent)?.row ?? 0, last + 1), rows - step.length + i);
        last = row;
        const drawn = { at, parent, step: number, x, y: TOP + BOX / 2 + row * ROW, width, ...labels[i], state, wins: wins.has(at) };
        placed.set(at, { drawn, row });
        return drawn;
      }),
    );
    x += width + gap;
  }
  const links = columns.slice(1).flat().flatMap((to) => {
    const from = placed.get(to.parent)?.drawn;
    return from ? [{ from, to, path: curve(from, to) }] : [];
  });
  return { width: x - gap + 2, height: TOP + rows * ROW - (ROW - BOX) + 4, columns, links };
}

function drawnByStep(search: SearchRecord, isShown: (at: number) => boolean, wins: Set<number>): number[][] {
  const children = childrenOf(search);
  // The winner's way first, then what went on, then what was pruned; each the best first.
  const rank = (at: number) => (wins.has(at) ? 0 : search.nodes[at].state === "pruned" ? 2 : 1);
  const steps: number[][] = [];
  let column = [START];
  while (true) {
    column = column.flatMap((at) => (children.get(at) ?? []).filter(isShown).sort((a, b) => rank(a) - rank(b) || a - b));
    if (column.length === 0) return steps;
    steps.push(column);
  }
}

const link = linkHorizontal<unknown, [number, number]>();

function curve(from: Drawn, to: Drawn): string {
  return link({ source: [from.x + from.width, from.y], target: [to.x, to.y] }) ?? "";
}

/** Where an arrow key leads from a candidate. */
export function neighbour(tree: Tree, at: number, key: string): number | undefined {
  const step = tree.columns.findIndex((column) => column.some((drawn) => drawn.at === at));
  const column = tree.columns[step] ?? [];
  const row = column.findIndex((drawn) => drawn.at === at);
  if (key === "ArrowUp") return column[row - 1]?.at;
  if (key === "ArrowDown") return column[row + 1]?.at;
  if (key === "ArrowLeft") return tree.columns[step - 1]?.find((drawn) => drawn.at === column[row].parent)?.at;
  if (key === "ArrowRight") return tree.columns[step + 1]?.find((drawn) => drawn.parent === at)?.at;
  if (key === "Home") return START;
  if (key === "End") return tree.columns.flat().findLast((drawn) => drawn.wins)?.at;
  return undefined;
}
