// A matrix as a picture of one pixel a cell: sharp at any size, light for a hundred tokens, and it travels in an SVG.
import type { Matrix } from "./types";

/** Weights from 0 to 1 as a data: address; 1 is the colour itself. */
export function paint(matrix: Matrix, colour: string): string {
  // A root makes the small weights visible, as eyes expect of a heat map.
  return draw(matrix, (weight) => [colour, Math.sqrt(weight)]);
}

/** Numbers with a sign: one hue for each side of zero; `most` is the number that gets the full colour. */
export function paintSigned(matrix: Matrix, most: number): string {
  const [more, less] = [themeColour("--more"), themeColour("--less")];
  return draw(matrix, (number) => [number < 0 ? less : more, (Math.abs(number) / (most || 1)) ** 0.8]);
}

/** One pixel a cell: its colour and how much of it. */
function draw(matrix: Matrix, cell: (number: number) => [string, number]): string {
  const canvas = document.createElement("canvas");
  canvas.width = matrix[0]?.length || 1;
  canvas.height = matrix.length || 1;
  const context = canvas.getContext("2d");
  if (!context) return "";
  matrix.forEach((row, y) =>
    row.forEach((number, x) => {
      const [colour, much] = cell(number);
      if (!(much >= 0.02)) return; // too faint a colour is rounded to black
      context.fillStyle = colour;
      context.globalAlpha = Math.min(much, 1);
      context.fillRect(x, y, 1, 1);
    }),
  );
  return canvas.toDataURL();
}

/** A colour of the style sheet, as it is now: in the dark another than by day. */
export function themeColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** One hue a head, apart from each other as far as they can be, readable on light and on dark. */
export function headColour(head: number, heads: number): string {
  return `oklch(var(--head-lightness) 0.16 ${Math.round((360 * head) / heads + 200) % 360})`;
}
