// The Translation JSON (docs/translation-json.md) and what GET /model answers, as types.

export type Matrix = number[][];

export interface Candidate {
  text: string;
  score: number;
  logprob: number;
  tokens: string[];
}

export interface ModelFacts {
  name: string;
  src_lang: string;
  tgt_lang: string;
  parameters: number;
  encoder_layers: number;
  decoder_layers: number;
  heads: number;
  d_model: number;
}

export interface SearchNode {
  step: number;
  parent: number;
  token: string;
  logprob: number;
  score: number;
  state: "kept" | "ended" | "pruned";
}

export interface SearchRecord {
  beam_width: number;
  alpha: number;
  penalty: string;
  stopping: string;
  n_best: number;
  nodes: SearchNode[];
  winner: number;
  reason: string;
}

export interface Edits {
  heads_off: Record<string, number[]>;
  layers_skipped: string[];
  source_hidden: number[];
}

export interface HeadEffect {
  attention: string;
  head: number;
  logprob: number;
}

export interface Arithmetic {
  attention: string;
  head: number;
  queries: Matrix;
  keys: Matrix;
  values: Matrix;
}

export interface Translation {
  version: number;
  source: string;
  text: string;
  score: number;
  logprob: number;
  source_tokens: string[];
  target_tokens: string[];
  source_words: number[];
  target_words: number[];
  unseen_words: string[];
  hypotheses: Candidate[];
  pieces: number;
  target_probabilities: number[];
  attention: Record<string, Matrix[]>;
  model: ModelFacts;
  search?: SearchRecord | null;
  edits?: Edits | null;
  similarity?: Record<string, Matrix> | null;
  head_effects?: HeadEffect[] | null;
  arithmetic?: Arithmetic[] | null;
}

export interface Part {
  id: string;
  title: string;
  what: string;
  formula: string;
  shape_in: string;
  shape_out: string;
  parameters: number;
  paper: string;
  source: { file: string; first: number; last: number; code: string };
  stage: { number: string; title: string } | null;
}

export interface Score {
  name: string;
  value: number;
  data: string;
  signature: string;
  low?: number;
  high?: number;
}

export interface Model {
  name: string;
  src_lang: string;
  tgt_lang: string;
  src_name: string;
  tgt_name: string;
  parameters: number;
  config: Record<string, unknown>;
  search: { beam_width: number; alpha: number };
  sizes: { part: string; parameters: number }[];
  scores: Score[] | null;
  /** `columns`: which dimensions the table has; of a very wide model not all. */
  positions: { kind: string; columns: number[] | null; table: Matrix | null };
  parts: Part[];
}
