// How wide a text will be, before it is drawn.

const pen = document.createElement("canvas").getContext("2d");
let family = "";

/** The page's letters of a size, as a canvas wants to hear of them. */
export function lettersOf(size: number): string {
  family ||= getComputedStyle(document.documentElement).getPropertyValue("--letters").trim();
  return `${size}px ${family || "sans-serif"}`;
}

export function widthOf(text: string, size: number): number {
  if (!pen) return 0.6 * size * text.length;
  pen.font = lettersOf(size);
  return pen.measureText(text).width;
}
