// Tokens as people read them, alone or joined into words; and matrices over them.
import type { Matrix, Translation } from "./types";

const UNKNOWN = "<unk>";

export type Side = "source" | "target" | "given";

export interface Token {
  label: string;
  mark: boolean; // the start or the end: not text
  lang: string;
  places: number[]; // the subwords it is made of
}

/** Which tokens stand at the rows and the columns of an attention. */
export function sidesOf(attention: string): { rows: Side; columns: Side } {
  if (attention.startsWith("encoder")) return { rows: "source", columns: "source" };
  return { rows: "target", columns: attention.endsWith("cross") ? "source" : "given" };
}

/** The tokens of one side; "given" is what the decoder was given: the start, then the target without its last. */
export function tokensOf(translation: Translation, side: Side, words: boolean): Token[] {
  const lang = side === "source" ? translation.model.src_lang : translation.model.tgt_lang;
  const pieces = piecesOf(translation, side);
  const groups = words ? groupsOf(translation, side) : pieces.map((_, place) => [place]);
  return groups.map((places) => {
    const text = textOf(places.map((place) => pieces[place]));
    return { ...readable(text), lang, places };
  });
}

/** Pieces as one: an unknown among known ones stands as �; nothing but unknowns is one unknown. */
export function textOf(pieces: string[]): string {
  if (pieces.includes(UNKNOWN) && pieces.every((piece) => piece === UNKNOWN || piece === "▁")) return UNKNOWN;
  return pieces.map((piece) => (piece === UNKNOWN ? "�" : piece)).join("");
}

function piecesOf(translation: Translation, side: Side): string[] {
  if (side === "source") return translation.source_tokens;
  if (side === "target") return translation.target_tokens;
  return ["<s>", ...translation.target_tokens.slice(0, -1)];
}

function groupsOf(translation: Translation, side: Side): number[][] {
  const target = translation.target_words;
  const numbers =
    side === "source" ? translation.source_words : side === "target" ? target : [-1, ...target.slice(0, -1)];
  const groups: number[][] = [];
  numbers.forEach((number, place) => {
    if (place > 0 && number === numbers[place - 1]) groups[groups.length - 1].push(place);
    else groups.push([place]);
  });
  return groups;
}

/** A subword as text: without the mark of a word's start, with a vowel sign that has lost its letter on ◌. */
export function readable(piece: string): { label: string; mark: boolean } {
  if (piece === "</s>") return { label: "end", mark: true };
  if (piece === "<s>") return { label: "start", mark: true };
  if (piece === UNKNOWN) return { label: "unknown", mark: true };
  const text = piece.replaceAll("▁", " ").trim();
  if (!text) return { label: "␣", mark: true };
  return { label: /^\p{M}/u.test(text) ? `◌${text}` : text, mark: false };
}

/** Subwords joined into words: the mean of a word's rows, the sum of its columns. Rows still sum to 1. */
export function joined(weights: Matrix, rows: Token[], columns: Token[]): Matrix {
  return rows.map((row) =>
    columns.map((column) => {
      let sum = 0;
      for (const q of row.places) for (const k of column.places) sum += weights[q][k];
      return sum / row.places.length;
    }),
  );
}

export function mean(matrices: Matrix[]): Matrix {
  return matrices[0].map((row, q) =>
    row.map((_, k) => matrices.reduce((sum, matrix) => sum + matrix[q][k], 0) / matrices.length),
  );
}

/** "decoder.0" as people say it; layers count from 1 for them. */
export function layerTitle(name: string): string {
  const [stack, layer] = name.split(".");
  return `${stack === "encoder" ? "Encoder" : "Decoder"} layer ${Number(layer) + 1}`;
}

/** "decoder.0.cross" as people say it. */
export function attentionTitle(name: string): string {
  return `${layerTitle(name)}, ${name.endsWith("cross") ? "cross-attention" : "self-attention"}`;
}

export const percent = (weight: number): string => `${Math.round(100 * weight)} %`;
