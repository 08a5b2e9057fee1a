// What the diagram needs to know of a model; from the model's own description, or from the little a translation says.
import type { Model, Translation } from "./types";

export interface Anatomy {
  known: boolean; // false: only a translation's facts were there, and the form is taken to be the paper's
  name: string;
  encoderLayers: number;
  decoderLayers: number;
  heads: number;
  width: number; // d_model
  inner: number | null; // d_ff
  sourceTokens: number | null; // V of the source
  targetTokens: number | null; // V of the target, the same where they share one vocabulary
  normFirst: boolean;
  finalNorm: boolean;
  rotary: boolean;
  parameters: number;
  languages: string;
  skipped: string[];
}

export function anatomyOf(model: Model | null, translation: Translation): Anatomy {
  const config = model?.config ?? {};
  const facts = translation.model;
  const number = (name: string): number | null => (typeof config[name] === "number" ? config[name] : null);
  const normFirst = config.norm_placement === "pre";
  return {
    known: model !== null,
    name: facts.name,
    encoderLayers: facts.encoder_layers,
    decoderLayers: facts.decoder_layers,
    heads: facts.heads,
    width: facts.d_model,
    inner: number("d_ff"),
    sourceTokens: number("vocab_size"),
    targetTokens: number("tgt_vocab_size") ?? number("vocab_size"),
    normFirst,
    finalNorm: typeof config.final_norm === "boolean" ? config.final_norm : normFirst,
    rotary: config.positions === "rotary",
    parameters: facts.parameters,
    languages: model ? `${model.src_name} → ${model.tgt_name}` : `${facts.src_lang} → ${facts.tgt_lang}`,
    skipped: translation.edits?.layers_skipped ?? [],
  };
}

/** "[S, 128]" with the places of this sentence: "[10, 128]". */
export function withPlaces(shape: string, translation: Translation): string {
  return shape
    .replace(/\bS\b/g, String(translation.source_tokens.length))
    .replace(/\bT\b/g, String(translation.target_tokens.length));
}

export const count = (n: number): string => n.toLocaleString("en");
