"use strict";
// Draws a translation's heads. Everything that came from a model or a user is put on the page as text, never as HTML.
const T = JSON.parse(document.getElementById("translation").textContent);
const $ = (id) => document.getElementById(id);
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};

// ---- tokens and words -------------------------------------------------------------------------------------------
const MARKS = { "</s>": "end", "<s>": "start", "<unk>": "unknown", "<pad>": "pad" };
// A vowel sign without its letter is drawn on a dotted circle.
const onCircle = (text) => (/^\p{M}/u.test(text) ? "\u25cc" + text : text);
const label = (pieces) => {
  if (pieces.length === 1 && MARKS[pieces[0]]) return { text: MARKS[pieces[0]], mark: true };
  const text = pieces.map((piece) => (MARKS[piece] ? "\ufffd" : piece)).join("").replace(/^\u2581/, "").replace(/\u2581/g, " ");
  return text ? { text: onCircle(text), mark: false } : { text: "space", mark: true };
};

// One side of an attention: its items (tokens, or words), and to which item each token belongs.
const side = (tokens, words, apart) => {
  const numbers = apart ? tokens.map((_, place) => place) : words;
  const items = [];
  tokens.forEach((token, place) => {
    const item = (items[numbers[place]] ??= { pieces: [], joined: false });
    item.pieces.push(token);
    if (apart) item.joined = place > 0 && words[place] === words[place - 1];
  });
  return { numbers, items: items.map((item) => ({ ...label(item.pieces), joined: item.joined })) };
};

const sides = (kind, apart) => {
  const source = side(T.source_tokens, T.source_words, apart);
  const target = side(T.target_tokens, T.target_words, apart);
  if (kind === "encoder.self") return { rows: source, columns: source };
  if (kind === "decoder.cross") return { rows: target, columns: source };
  // What the decoder is given is the start and the translation without its last token.
  const given = side(["<s>", ...T.target_tokens.slice(0, -1)], [0, ...T.target_words.slice(0, -1).map((n) => n + 1)], apart);
  return { rows: target, columns: given };
};

// A word looks as its tokens do on average, and is looked at as much as its tokens are together.
const join = (weights, rows, columns) => {
  const joined = rows.items.map(() => columns.items.map(() => 0));
  const sizes = rows.items.map(() => 0);
  weights.forEach((row, q) => {
    sizes[rows.numbers[q]] += 1;
    row.forEach((weight, k) => { joined[rows.numbers[q]][columns.numbers[k]] += weight; });
  });
  return joined.map((row, q) => row.map((weight) => weight / sizes[q]));
};

// ---- heads ------------------------------------------------------------------------------------------------------
const KINDS = {
  "decoder.cross": ["cross", "The decoder, choosing each token of the translation, looks over to the source."],
  "encoder.self": ["encoder self", "Each token of the source looks around in the source."],
  "decoder.self": ["decoder self", "The decoder, choosing each token, looks back at what it has written so far."],
};
const layersOf = (kind) => {
  const [stack, sort] = kind.split(".");
  const layers = [];
  while (T.attention[`${stack}.${layers.length}.${sort}`]) layers.push(T.attention[`${stack}.${layers.length}.${sort}`]);
  return layers;
};
const mean = (matrices) =>
  matrices[0].map((row, q) => row.map((_, k) => matrices.reduce((sum, matrix) => sum + matrix[q][k], 0) / matrices.length));
// head or layer -1: the mean of them all.
const weightsOf = ({ kind, layer, head }) => {
  const layers = layersOf(kind);
  const chosen = layer < 0 ? layers : [layers[layer]];
  return mean(chosen.flatMap((heads) => (head < 0 ? heads : [heads[head]])));
};
const nameOf = ({ kind, layer, head }) => {
  const [stack, sort] = kind.split(".");
  return `${layer < 0 ? `${stack}.${sort}, all layers` : `${stack}.${layer}.${sort}`}, ${head < 0 ? "mean of its heads" : `head ${head}`}`;
};

// The head that points most clearly at single words of the source, its end aside: the one to look at first.
const clearest = () => {
  let best = { kind: "decoder.cross", layer: 0, head: 0 }, most = -1;
  layersOf("decoder.cross").forEach((heads, layer) => heads.forEach((weights, head) => {
    const points = weights.reduce((sum, row) => sum + Math.max(0, ...row.slice(0, -1)), 0);
    if (points > most) { most = points; best = { kind: "decoder.cross", layer, head }; }
  }));
  return best;
};

// ---- state ------------------------------------------------------------------------------------------------------
let apart = false;
let curve = null; // the cross-attention that the curves show
let shown = null; // the head that the heat map shows
let held = null; // the token that is hovered or pressed: { side, place }

const buttons = (parent, choices, current, choose) => {
  parent.replaceChildren(...choices.map(([value, text]) => {
    const button = el("button", { type: "button", "aria-pressed": String(value === current) }, text);
    button.addEventListener("click", () => choose(value));
    return button;
  }));
};

// ---- curves -----------------------------------------------------------------------------------------------------
const tint = (place, n) => `oklch(var(--light) var(--chroma) ${Math.round(40 + (300 * place) / Math.max(n, 1))})`;
const percent = (weight) => `${Math.round(100 * weight)} %`;

const tokenButton = (item, which, place) => {
  const classes = ["token", item.joined && "joined", item.mark && "mark"].filter(Boolean).join(" ");
  const button = el("button", { type: "button", class: classes, title: item.text }, item.text);
  if (which === "from" && T.unseen_words.includes(item.text.replace(/[\p{P}\p{S}]+/gu, ""))) button.classList.add("unseen");
  button.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") hold({ side: which, place }); });
  button.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hold(null); });
  button.addEventListener("focus", () => hold({ side: which, place }));
  button.addEventListener("blur", () => hold(null));
  return button;
};

const drawTokens = () => {
  const { rows, columns } = sides("decoder.cross", apart);
  const weights = join(weightsOf(curve), rows, columns);
  const n = columns.items.length;
  $("from").replaceChildren(...columns.items.map((item, place) => {
    const button = tokenButton(item, "from", place);
    if (!item.mark) button.style.setProperty("--tint", tint(place, n));
    return el("li", {}, button);
  }));
  $("to").replaceChildren(...rows.items.map((item, place) => {
    const button = tokenButton(item, "to", place);
    const most = weights[place].indexOf(Math.max(...weights[place]));
    if (!columns.items[most].mark) button.style.setProperty("--tint", tint(most, n));
    return el("li", {}, button);
  }));
  layOut();
};

// Side by side where both sentences fit on a line, below each other where they do not.
const layOut = () => {
  const stage = $("stage");
  stage.className = "wide";
  const fits = ["from", "to"].every((id) => $(id).scrollWidth <= $(id).clientWidth);
  const long = Math.max($("from").children.length, $("to").children.length) > 24;
  stage.className = fits ? "wide" : long ? "tall long" : "tall";
  drawCurves();
};

const drawCurves = () => {
  const stage = $("stage"), svg = stage.querySelector("svg"), wide = stage.className === "wide";
  const { rows, columns } = sides("decoder.cross", apart);
  const weights = join(weightsOf(curve), rows, columns);
  const origin = stage.getBoundingClientRect();
  const box = (id, place) => $(id).children[place].firstChild.getBoundingClientRect();
  const paths = [];
  weights.forEach((row, q) => row.forEach((weight, k) => {
    if (weight < 0.03) return;
    const a = box("from", k), b = box("to", q);
    const [x1, y1, x2, y2] = wide
      ? [a.x + a.width / 2 - origin.x, a.bottom - origin.y + 2, b.x + b.width / 2 - origin.x, b.top - origin.y - 2]
      : [a.right - origin.x + 2, a.y + a.height / 2 - origin.y, b.x - origin.x - 2, b.y + b.height / 2 - origin.y];
    const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
    const d = wide ? `M${x1} ${y1}C${x1} ${my} ${x2} ${my} ${x2} ${y2}` : `M${x1} ${y1}C${mx} ${y1} ${mx} ${y2} ${x2} ${y2}`;
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const mine = held === null || (held.side === "from" ? held.place === k : held.place === q);
    path.setAttribute("d", d);
    path.setAttribute("stroke-width", (0.75 + 6 * weight).toFixed(2));
    path.style.stroke = columns.items[k].mark ? "var(--quiet)" : tint(k, columns.items.length);
    path.style.opacity = mine ? Math.min(1, 0.12 + 0.85 * weight).toFixed(3) : 0.03;
    paths.push(path);
  }));
  svg.replaceChildren(...paths);
};

const hold = (what) => {
  held = what;
  drawCurves();
  const { rows, columns } = sides("decoder.cross", apart);
  for (const [id, mine] of [["from", "from"], ["to", "to"]]) {
    [...$(id).children].forEach((li, place) => {
      li.firstChild.setAttribute("aria-pressed", String(held !== null && held.side === mine && held.place === place));
    });
  }
  $("said").replaceChildren(...(held === null ? ["Hover or tap a word to see what it looked at."] : sentence(rows, columns)));
};

const sentence = (rows, columns) => {
  const weights = join(weightsOf(curve), rows, columns);
  const looks = held.side === "to";
  const [mine, theirs] = looks ? [T.model.tgt_lang, T.model.src_lang] : [T.model.src_lang, T.model.tgt_lang];
  // Each word in its own language, or a vowel sign and its circle would be taken from two fonts.
  const word = (item, lang) => el("span", { class: "word", ...(item.mark ? {} : { lang, dir: "auto" }) }, item.text);
  const list = looks ? weights[held.place].map((weight, k) => [weight, columns.items[k]])
    : weights.map((row, q) => [row[held.place], rows.items[q]]);
  const most = list.filter(([weight]) => weight >= 0.03).sort((a, b) => b[0] - a[0]).slice(0, 4);
  const seen = most.flatMap(([weight, item], i) => [i ? ", " : "", word(item, theirs), ` ${percent(weight)}`]);
  const tail = seen.length ? seen : ["nothing much"];
  return looks ? ["To choose ", word(rows.items[held.place], mine), " this head looked at ", ...tail]
    : [word(columns.items[held.place], mine), " was looked at for ", ...tail];
};

const drawPickers = () => {
  const layers = layersOf("decoder.cross");
  const layerChoices = [...layers.keys()].map((layer) => [layer, String(layer)]);
  const headChoices = [...layers[0].keys()].map((head) => [head, String(head)]);
  const choose = (change) => select({ ...curve, ...change });
  buttons($("layers"), [...layerChoices, [-1, "all"]], curve.layer, (layer) => choose({ layer }));
  buttons($("heads"), [...headChoices, [-1, "mean"]], curve.head, (head) => choose({ head }));
};

// ---- the grid of all heads --------------------------------------------------------------------------------------
const drawGrid = () => {
  const kinds = Object.keys(KINDS).filter((kind) => layersOf(kind).length);
  buttons($("kinds"), kinds.map((kind) => [kind, KINDS[kind][0]]), shown.kind, (kind) => select(kind === "decoder.cross" ? curve : { kind, layer: 0, head: 0 }));
  $("kind-said").textContent = `${KINDS[shown.kind][1]} Layers and heads count from 0.`;
  const layers = layersOf(shown.kind), n = layers[0].length;
  const grid = $("grid");
  grid.style.gridTemplateColumns = `max-content repeat(${n + 1}, minmax(3.4rem, 7rem))`;
  const cells = [el("span", { class: "label" })];
  for (let head = 0; head < n; head++) cells.push(el("span", { class: "label" }, `head ${head}`));
  cells.push(el("span", { class: "label" }, "mean"));
  layers.forEach((_, layer) => {
    cells.push(el("span", { class: "label" }, `layer ${layer}`));
    for (const head of [...Array(n).keys(), -1]) {
      const which = { kind: shown.kind, layer, head };
      const pressed = shown.layer === layer && shown.head === head;
      const button = el("button", { type: "button", "aria-label": nameOf(which), "aria-pressed": String(pressed) }, el("canvas"));
      button.addEventListener("click", () => select(which));
      cells.push(button);
      paint(button.firstChild, which);
    }
  });
  grid.replaceChildren(...cells);
};

const paint = (canvas, which) => {
  const { rows, columns } = sides(which.kind, apart);
  const weights = join(weightsOf(which), rows, columns);
  canvas.width = columns.items.length;
  canvas.height = rows.items.length;
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--hot");
  weights.forEach((row, q) => row.forEach((weight, k) => {
    context.globalAlpha = strength(weight);
    context.fillRect(k, q, 1, 1);
  }));
};
// Weights below a half would hardly be seen if light grew as they do.
const strength = (weight) => Math.min(1, weight) ** 0.65;

// ---- one head as a heat map -------------------------------------------------------------------------------------
const drawMap = () => {
  const { rows, columns } = sides(shown.kind, apart);
  const weights = join(weightsOf(shown), rows, columns);
  const source = T.model.src_lang, target = T.model.tgt_lang;
  const languages = { "encoder.self": [source, source], "decoder.cross": [target, source], "decoder.self": [target, target] }[shown.kind];
  $("map-title").textContent = nameOf(shown);
  const th = (item, lang, scope) => el("th", { scope, lang, title: item.text, class: item.mark ? "mark" : "" }, el("span", {}, item.text));
  const head = el("tr", {}, el("td"), ...columns.items.map((item) => th(item, languages[1], "col")));
  const body = rows.items.map((item, q) => el("tr", {}, th(item, languages[0], "row"), ...weights[q].map((weight, k) => {
    const cell = el("td", {}, el("span", {}, weight.toFixed(2)));
    cell.style.background = `color-mix(in oklab, var(--hot) ${(100 * strength(weight)).toFixed(1)}%, var(--cold))`;
    cell.dataset.said = `${item.text} \u2192 ${columns.items[k].text}: ${weight.toFixed(3)}`;
    return cell;
  })));
  $("map").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
  // The names of the columns stand upright, by turning: Hindi set downwards would come apart.
  const names = [...$("map").querySelectorAll("thead span")];
  $("map").style.setProperty("--rise", `${Math.max(20, ...names.map((name) => name.offsetWidth)) + 10}px`);
  $("value").textContent = "Rows look, columns are looked at. Hover a cell for its weight.";
};
$("map").addEventListener("pointerover", (event) => {
  const said = event.target.closest("td")?.dataset.said;
  if (said) $("value").textContent = said;
});

// ---- all of it --------------------------------------------------------------------------------------------------
const select = (which) => {
  if (which.kind === "decoder.cross") curve = which;
  shown = which;
  draw();
};
const draw = () => {
  held = null;
  drawPickers();
  drawTokens();
  hold(null);
  drawGrid();
  drawMap();
};

const facts = [`${T.model.src_lang} \u2192 ${T.model.tgt_lang}`, T.model.name, `${T.model.parameters.toLocaleString("en")} parameters`,
  `${T.model.encoder_layers} + ${T.model.decoder_layers} layers`, `${T.model.heads} heads`];
$("facts").textContent = facts.join(" \u00b7 ");
$("score").textContent = `score ${T.score.toFixed(3)} \u00b7 log-probability ${T.logprob.toFixed(3)}`;
if (T.unseen_words.length) {
  $("unseen").hidden = false;
  $("unseen").textContent = `Not in this model\u2019s training data: ${T.unseen_words.join(", ")}.`;
}
if (T.hypotheses.length > 1) {
  $("others").hidden = false;
  $("others").querySelector("ol").replaceChildren(...T.hypotheses.slice(1).map((hypothesis) =>
    el("li", {}, hypothesis.text, el("span", { class: "quiet", lang: "en" }, hypothesis.score.toFixed(3)))));
}
const looks = layersOf("decoder.cross").length > 0 && layersOf("encoder.self").length > 0;
$("inside").hidden = !looks;
$("nothing").hidden = looks;
if (looks) {
  $("apart").addEventListener("change", (event) => { apart = event.target.checked; draw(); });
  window.addEventListener("resize", layOut);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  select(clearest());
  // Widths change once the fonts are there.
  document.fonts?.ready.then(layOut);
}
