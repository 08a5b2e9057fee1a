// How alike the words' vectors are, layer by layer: which of them to look at, and what to say about it.
import { digits } from "./signed";
import { tokensOf, type Token } from "./tokens";
import type { Matrix, Translation } from "./types";

export interface Step {
  name: string; // as in the Translation JSON: "encoder.0"
  title: string;
  cosines: Matrix;
}

/** The steps of one stack from its embeddings to its end. */
export function stepsOf(translation: Translation, stack: "encoder" | "decoder"): Step[] {
  const all = Object.entries(translation.similarity ?? {}).filter(([name]) => name.split(".")[0] === stack);
  const steps = all.map(([name, cosines]) => ({ name, title: titleOf(name), cosines }));
  const [before, last] = steps.slice(-2);
  // Without a norm at its end, a stack hands on what its last layer gave.
  if (last?.name === stack && JSON.stringify(before?.cosines) === JSON.stringify(last.cosines)) steps.pop();
  return steps;
}

function titleOf(name: string): string {
  const [, layer] = name.split(".");
  if (layer === undefined) return "after the final norm";
  return layer === "embedding" ? "going in" : `after layer ${Number(layer) + 1}`;
}

/** The tokens whose vectors are compared. The decoder's places are named by what they were given. */
export function comparedTokens(translation: Translation, stack: "encoder" | "decoder"): Token[] {
  return tokensOf(translation, stack === "encoder" ? "source" : "given", false);
}

/** A token's label; where it stands more than once, with its number. */
export function nameOf(tokens: Token[], place: number): string {
  const { label } = tokens[place];
  const twice = tokens.some((token, k) => k !== place && token.label === label);
  return twice ? `${label} (${place + 1})` : label;
}

export interface Pair {
  place: number;
  beside: number;
}

/** The pair to begin with: "he" and "Bark", as the articles tell it; else the two that came closer most. */
export function firstPair(tokens: Token[], steps: Step[]): Pair {
  const find = (word: string) => tokens.findIndex((token) => token.label.toLowerCase() === word);
  if (find("he") >= 0 && find("bark") >= 0) return { place: find("he"), beside: find("bark") };
  let best = { place: 0, beside: Math.min(1, tokens.length - 1), gain: -Infinity };
  const [first, last] = [steps[0]?.cosines, steps.at(-1)?.cosines];
  tokens.forEach((a, place) =>
    tokens.forEach((b, beside) => {
      if (a.mark || b.mark || beside >= place || !first || !last) return;
      const gain = last[place][beside] - first[place][beside];
      if (gain > best.gain) best = { place, beside, gain };
    }),
  );
  return best;
}

/** Which place to compare with, once a place is chosen: the one whose likeness changed most. */
export function mostChanged(place: number, tokens: Token[], steps: Step[]): number {
  const change = (k: number) => Math.abs(steps.at(-1)!.cosines[place][k] - steps[0].cosines[place][k]);
  const others = tokens.map((_, k) => k).filter((k) => k !== place && !tokens[k].mark);
  return others.reduce((best, k) => (best < 0 || change(k) > change(best) ? k : best), -1);
}

/** What the numbers say, in two sentences. Only what they say: words need not come closer to what they stand for. */
export function described({ place, beside }: Pair, tokens: Token[], steps: Step[]): string {
  const name = (k: number) => `“${nameOf(tokens, k)}”`;
  const [before, after] = [steps[0].cosines[place][beside], steps.at(-1)!.cosines[place][beside]];
  const moved = after - before > 0.05 ? "they came to look more alike" : before - after > 0.05 ? "they came to look less alike" : "they are about as alike as before";
  const others = tokens.map((_, k) => k).filter((k) => k !== place);
  const closest = others.reduce((best, k) => (steps.at(-1)!.cosines[place][k] > steps.at(-1)!.cosines[place][best] ? k : best), others[0]);
  const last = steps.at(-1)!.title;
  return `${name(place)} and ${name(beside)}: ${digits(before)} going in, ${digits(after)} ${last}, so ${moved}. Most like ${name(place)} in the end is ${name(closest)} (${digits(steps.at(-1)!.cosines[place][closest])}).`;
}
