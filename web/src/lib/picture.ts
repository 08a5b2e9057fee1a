// A drawing of the page as a file of its own: SVG with its styles and its font inside, or PNG made of that.

const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity",
  "font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "letter-spacing", "text-decoration-line",
  "image-rendering", "visibility", "display",
]; // prettier-ignore

const MARGIN = 20; // pixels around what is taken away: on the page the panel gives it room

export async function toSvg(drawing: SVGSVGElement): Promise<Blob> {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const { width, height } = drawing.getBoundingClientRect();
  const originals = drawing.querySelectorAll<SVGElement>("*");
  copy.querySelectorAll<SVGElement>("*").forEach((element, i) => {
    const computed = getComputedStyle(originals[i]);
    element.setAttribute("style", STYLES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
    element.removeAttribute("class");
  });
  const [x, y, wide, high] = (copy.getAttribute("viewBox") ?? `0 0 ${width} ${height}`).split(/[ ,]+/).map(Number);
  const margin = (MARGIN * wide) / width; // in the drawing's own units
  const whole = [x - margin, y - margin, wide + 2 * margin, high + 2 * margin];
  copy.setAttribute("viewBox", whole.join(" "));
  copy.setAttribute("width", String(width + 2 * MARGIN));
  copy.setAttribute("height", String(height + 2 * MARGIN));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const ground = getComputedStyle(drawing.closest(".panel") ?? document.body).backgroundColor;
  Object.entries({ x: whole[0], y: whole[1], width: whole[2], height: whole[3], fill: ground }).forEach(([name, value]) =>
    paper.setAttribute(name, String(value)),
  );
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = await fontFace();
  copy.prepend(style, paper);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

export async function toPng(drawing: SVGSVGElement, scale = 2): Promise<Blob> {
  const { width, height } = drawing.getBoundingClientRect();
  const image = new Image();
  image.src = await dataUrl(await toSvg(drawing));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((width + 2 * MARGIN) * scale);
  canvas.height = Math.ceil((height + 2 * MARGIN) * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser could not make a PNG of this."))), "image/png"),
  );
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The page's own @font-face with the font in it: an SVG shown as an image may load nothing. */
async function fontFace(): Promise<string> {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule)) continue;
      const found = /url\("?([^")]+)"?\)/.exec(rule.cssText);
      if (!found || found[1].startsWith("data:")) return rule.cssText;
      const font = await fetch(new URL(found[1], sheet.href ?? location.href));
      return rule.cssText.replace(found[1], await dataUrl(await font.blob()));
    }
  }
  return "";
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error("The drawing could not be read."));
    reader.readAsDataURL(blob);
  });
}
