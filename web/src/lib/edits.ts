// Edits, one toggled after the other. Pure: every function gives new Edits and leaves the old as they are.
import type { Token } from "./tokens";
import type { Edits, ModelFacts } from "./types";

/** The heads of a model as rows to switch: a layer's attentions, in the order in which the data runs through them. */
export function layersOf(facts: ModelFacts): { layer: string; attentions: string[] }[] {
  const stack = (name: string, n: number, kinds: string[]) =>
    Array.from({ length: n }, (_, i) => ({ layer: `${name}.${i}`, attentions: kinds.map((kind) => `${name}.${i}.${kind}`) }));
  return [...stack("encoder", facts.encoder_layers, ["self"]), ...stack("decoder", facts.decoder_layers, ["self", "cross"])];
}

export function isOff(edits: Edits, attention: string, head: number): boolean {
  return edits.heads_off[attention]?.includes(head) ?? false;
}

export function toggleHead(edits: Edits, attention: string, head: number): Edits {
  const { [attention]: off = [], ...others } = edits.heads_off;
  const now = toggled(off, head).sort((a, b) => a - b);
  return { ...edits, heads_off: now.length > 0 ? { ...others, [attention]: now } : others };
}

export function toggleLayer(edits: Edits, layer: string): Edits {
  return { ...edits, layers_skipped: toggled(edits.layers_skipped, layer).sort() };
}

export function isHidden(edits: Edits, word: Token): boolean {
  return word.places.every((place) => edits.source_hidden.includes(place));
}

/** Hide all places of a word, or show them again; null where that would hide the last word there is to see. */
export function toggleWord(edits: Edits, word: Token, words: Token[]): Edits | null {
  const others = edits.source_hidden.filter((place) => !word.places.includes(place));
  if (isHidden(edits, word)) return { ...edits, source_hidden: others };
  const changed = { ...edits, source_hidden: [...others, ...word.places].sort((a, b) => a - b) };
  return words.some((each) => !each.mark && !isHidden(changed, each)) ? changed : null;
}

/** How much less likely the translation becomes without a head, for every head; the most needed first. */
export interface Drop {
  attention: string;
  head: number;
  drop: number;
}

export function dropsOf(translation: { logprob: number; head_effects?: { attention: string; head: number; logprob: number }[] | null }): Drop[] {
  const effects = translation.head_effects ?? [];
  const drops = effects.map(({ attention, head, logprob }) => ({ attention, head, drop: translation.logprob - logprob }));
  return drops.sort((a, b) => b.drop - a.drop);
}

function toggled<T>(list: T[], item: T): T[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
