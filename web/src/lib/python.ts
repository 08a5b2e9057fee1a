// Python in colours: enough for the eye, and no more. Comments, strings, keywords, names that are defined.

export interface Word {
  text: string;
  kind: "" | "comment" | "string" | "keyword" | "name" | "number";
}

const KEYWORDS =
  "and as assert break case class continue def elif else except finally for from if import in is lambda match not or pass raise return try while with yield None True False self";
const WORDS = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<string>[rf]?(?:"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))/,
    new RegExp(`(?<keyword>\\b(?:${KEYWORDS.split(" ").join("|")})\\b)`),
    /(?<number>\b\d[\d_.e]*\b)/,
  ]
    .map((pattern) => pattern.source)
    .join("|"),
  "g",
);

export function inColours(code: string): Word[] {
  const words: Word[] = [];
  let done = 0;
  for (const found of code.matchAll(WORDS)) {
    if (found.index > done) words.push(...plain(code.slice(done, found.index), words.at(-1)));
    const [kind] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? [""];
    words.push({ text: found[0], kind: kind as Word["kind"] });
    done = found.index + found[0].length;
  }
  if (done < code.length) words.push(...plain(code.slice(done), words.at(-1)));
  return words;
}

/** What stands behind `def` or `class` is a name. */
function plain(text: string, before: Word | undefined): Word[] {
  const name = before?.text === "def" || before?.text === "class" ? /^(\s+)(\w+)/.exec(text) : null;
  if (!name) return [{ text, kind: "" }];
  return [
    { text: name[1], kind: "" },
    { text: name[2], kind: "name" },
    { text: text.slice(name[0].length), kind: "" },
  ];
}
