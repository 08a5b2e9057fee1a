// Where the cells and the labels of a heat map stand: cells as large as there is room, labels that never meet.
import { widthOf } from "./letters";
import type { Token } from "./tokens";

export interface MapLayout {
  cell: number;
  size: number; // of the letters
  left: number; // of the first column
  top: number; // of the first row
  width: number;
  height: number;
  slant: number; // of the column labels, in degrees
  rows: string[]; // the labels, short enough
  columns: string[];
}

const SMALLEST = 16; // a cell that a finger or an eye can still find; more of them scroll
const LARGEST = 84;
const WHOLE = 620; // a map of few words need not fill a wide screen
const LONGEST = 130; // of a label
const GAP = 8;

/** `scale` is how much larger the page's letters are than usual: on a very wide screen all grows. */
export function layOutMap(rows: Token[], columns: Token[], room: number, scale: number): MapLayout {
  const longest = Math.min(LONGEST * scale, room * 0.3);
  const most = Math.max(...widths(rows.map((token) => token.label), 15 * scale));
  const guess = (Math.min(room, (WHOLE + LONGEST) * scale) - Math.min(most, longest) - GAP) / columns.length;
  const cell = Math.floor(Math.min(Math.max(guess, SMALLEST * scale), LARGEST * scale));
  const size = Math.min(15 * scale, cell * 0.68);
  // Slanted labels need 1.8 lines' height of room from one to the next, upright ones 1.4: Devanagari is tall.
  const slant = cell >= size * 2.1 ? -45 : -90;
  const rowLabels = rows.map((token) => shortened(token.label, size, longest));
  const columnLabels = columns.map((token) => shortened(token.label, size, longest));
  const left = Math.ceil(Math.max(...widths(rowLabels, size)) + GAP + 2);
  const long = Math.max(...widths(columnLabels, size));
  const rise = slant === -45 ? Math.SQRT1_2 : 1;
  const last = widths(columnLabels.slice(-1), size)[0];
  const top = Math.ceil(long * rise + size * 0.8 + GAP);
  return {
    cell,
    size,
    left,
    top,
    slant,
    width: left + cell * columns.length + (slant === -45 ? Math.max(Math.ceil(last * rise + size * 0.5 - cell / 2), 2) : 2),
    height: top + cell * rows.length + 2,
    rows: rowLabels,
    columns: columnLabels,
  };
}

function widths(labels: string[], size: number): number[] {
  return labels.map((label) => widthOf(label, size));
}

/** Cut between what readers see as letters, so that no vowel sign loses its letter. */
export function shortened(label: string, size: number, longest: number): string {
  if (widths([label], size)[0] <= longest) return label;
  const letters = [...new Intl.Segmenter().segment(label)].map(({ segment }) => segment);
  while (letters.length > 1 && widths([`${letters.join("")}…`], size)[0] > longest) letters.pop();
  return `${letters.join("")}…`;
}

/** Letters on a cell: the ink, or the panel's colour, whichever is read better on so much of the heat's colour. */
export function inkOn(weight: number, heat: string, panel: string, ink: string): string {
  const alpha = Math.sqrt(Math.min(Math.max(weight, 0), 1));
  const mixed = channels(heat).map((channel, i) => alpha * channel + (1 - alpha) * channels(panel)[i]);
  const ground = luminance(mixed);
  const contrast = (colour: string) => {
    const [low, high] = [ground, luminance(channels(colour))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  return contrast(ink) >= contrast(panel) ? ink : panel;
}

const pen = document.createElement("canvas").getContext("2d");

function channels(colour: string): number[] {
  if (!pen) return [0, 0, 0];
  pen.fillStyle = colour; // however it is written: read back, it is #rrggbb
  const hex = String(pen.fillStyle);
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

function luminance(rgb: number[]): number {
  const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
