// Why a candidate of the search went on, ended, was pruned or won: in numbers, and in a sentence.
import { START, childrenOf, textSoFar, wayTo } from "./beams";
import { digits } from "./signed";
import type { SearchRecord } from "./types";

export interface Finisher {
  at: number;
  text: string;
  length: number; // in tokens, the end included
  logprob: number;
  penalty: number;
  score: number;
}

export function penaltyOf(search: SearchRecord, length: number): number {
  return (search.penalty === "gnmt" ? (5 + length) / 6 : length) ** search.alpha;
}

/** The hypotheses that ended, the best score first. */
export function finishersOf(search: SearchRecord): Finisher[] {
  const ended = search.nodes.flatMap(({ state, step, logprob, score }, at) =>
    state === "ended" ? [{ at, text: textSoFar(search, at), length: step, logprob, penalty: penaltyOf(search, step), score }] : [],
  );
  return ended.sort((a, b) => b.score - a.score || a.at - b.at);
}

export function why(search: SearchRecord, at: number): string {
  if (at === START) return "Every hypothesis starts here, with nothing written yet.";
  const { state } = search.nodes[at];
  if (at === search.winner) return whyWon(search);
  if (state === "ended") return whyEndedInVain(search, at);
  if (state === "pruned") return whyPruned(search, at);
  return whatBecameOf(search, at);
}

function whyWon(search: SearchRecord): string {
  const [winner, second, ...others] = finishersOf(search);
  if (!second) return "It won: it is the only hypothesis that ended before the search stopped.";
  const likelier = [second, ...others].find((other) => other.logprob > winner.logprob);
  const won = `It won: of the ${others.length + 2} hypotheses that ended it has the best score; the next has ${digits(second.score, 3)}.`;
  return likelier ? `${won} Another is likelier (${digits(likelier.logprob, 3)}), but it is shorter, and the length penalty weighs that.` : won;
}

function whyEndedInVain(search: SearchRecord, at: number): string {
  const { score, logprob, step } = search.nodes[at];
  const winner = search.nodes[search.winner];
  const lost = `It ended with score ${digits(score, 3)}; the winner has ${digits(winner.score, 3)}.`;
  if (logprob <= winner.logprob) return lost;
  return `${lost} It is likelier (${digits(logprob, 3)} against ${digits(winner.logprob, 3)}), but has ${step} tokens to the winner's ${winner.step}: the length penalty decided.`;
}

function whyPruned(search: SearchRecord, at: number): string {
  const { step, token, logprob } = search.nodes[at];
  const together = search.nodes.flatMap((node, i) => (node.step === step ? [i] : []));
  const width = search.beam_width;
  const place = `It was candidate ${together.indexOf(at) + 1} of ${together.length} in step ${step}`;
  if (token === "</s>") return `${place}; an end counts only among the best ${width === 1 ? "one" : width}.`;
  const kept = together.filter((i) => search.nodes[i].state === "kept");
  if (kept.length === 0) return `${place}, the last step: only the best ${width} were taken.`;
  const ended = together.some((i) => i < at && search.nodes[i].state === "ended") ? " that have not ended" : "";
  const goOn = width === 1 ? "only the best one goes on" : `only the best ${width}${ended} go on`;
  const worst = search.nodes[kept[kept.length - 1]].logprob;
  return `${place}; ${goOn}. The last of those has log-probability ${digits(worst, 3)}; this one, ${digits(logprob, 3)}.`;
}

function whatBecameOf(search: SearchRecord, at: number): string {
  if (wayTo(search, search.winner).includes(at)) return "It went on, and the winner came of it.";
  const heirs = heirsOf(search, at);
  const ended = heirs.filter((i) => search.nodes[i].state === "ended").map((i) => search.nodes[i].score);
  if (ended.length > 0) {
    return `It went on; the best ending that came of it has score ${digits(Math.max(...ended), 3)}, the winner ${digits(search.nodes[search.winner].score, 3)}.`;
  }
  const { step } = search.nodes[at];
  const until = Math.max(step, ...heirs.filter((i) => search.nodes[i].state === "kept").map((i) => search.nodes[i].step));
  const last = search.nodes[search.nodes.length - 1].step;
  if (until === last) return "It was still in the beam when the search stopped.";
  if (until === step) return `It went on, but nothing that came of it was among the best in step ${step + 1}.`;
  return `It went on; what came of it stayed in the beam until step ${until}, then all of it was pruned.`;
}

function heirsOf(search: SearchRecord, at: number): number[] {
  const children = childrenOf(search);
  const heirs = [...(children.get(at) ?? [])];
  for (let i = 0; i < heirs.length; i++) heirs.push(...(children.get(heirs[i]) ?? []));
  return heirs;
}
