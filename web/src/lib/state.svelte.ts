// The one store: what is asked (also in the address, so that any view is a link), and what was answered.
// Views read it and call its methods; nothing else talks to the server.
import { ask, askPage } from "./server";
import type { Arithmetic, Edits, Model, Translation } from "./types";
import { readView, writeView, type View } from "./view";

export type Need = "similarity" | "head_effects";

const FIRST_SENTENCE = "Bark is very cute and he is a dog";

class Explorer {
  view: View = $state(readView(location.hash));
  /** What the model said, with the edits. */
  translation: Translation | null = $state.raw(null);
  /** What it says without them; the same object where there are none. */
  baseline: Translation | null = $state.raw(null);
  model: Model | null = $state.raw(null);
  busy = $state(false);
  error = $state("");
  /** True in a file: there is no model to ask. */
  readonly offline: boolean;

  #needs = new Set<Need>();
  #asked: AbortController | null = null;
  #baselineKey = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const embedded = readEmbedded<Translation>("translation");
    this.offline = embedded !== null;
    if (embedded) {
      this.translation = embedded;
      this.baseline = embedded;
      this.model = readEmbedded<Model>("model");
      if (!location.hash) this.view = readView(document.getElementById("translation")?.dataset.view ?? "");
      this.view.q = embedded.source;
      this.view.edits = embedded.edits ?? noEdits();
      if (embedded.search) Object.assign(this.view, { beam: embedded.search.beam_width, alpha: embedded.search.alpha });
    }
  }

  async start(): Promise<void> {
    addEventListener("hashchange", () => this.#followAddress());
    if (this.offline) return;
    this.busy = true;
    try {
      this.model = await ask<Model>("GET", "/model");
      if (!this.view.q && this.model.src_lang === "en") this.view.q = FIRST_SENTENCE;
      document.title = `glassformer · ${this.model.name}`;
    } catch (error) {
      this.error = sentence(error);
    }
    this.busy = false;
    if (this.model && this.view.q) await this.run();
  }

  /** The attention in view, or the last cross-attention: the one that says most about a translation. */
  get attention(): string {
    const names = Object.keys(this.translation?.attention ?? {});
    if (names.includes(this.view.attention)) return this.view.attention;
    return names.filter((name) => name.endsWith("cross")).at(-1) ?? names[0] ?? "";
  }

  get edited(): boolean {
    return hasEdits(this.view.edits);
  }

  /** Change what is in view; with `ask`, what the model is asked changes too. */
  change(changes: Partial<View>, ask = false): void {
    Object.assign(this.view, changes);
    this.#writeAddress();
    if (ask) this.runSoon();
  }

  translate(q: string): void {
    // Places that were hidden belong to the sentence before.
    this.change({ q, place: null, beside: null, node: null, edits: { ...this.view.edits, source_hidden: [] } });
    void this.run();
  }

  edit(edits: Edits): void {
    // At once: a switch is thrown once, a slider moves many times.
    this.change({ edits, node: null });
    void this.run();
  }

  /** A view needs more than attention and search: asked for now and from now on. */
  need(what: Need): void {
    if (this.#needs.has(what) || this.offline) return;
    this.#needs.add(what);
    if (this.translation && !this.translation[what]) void this.run();
  }

  /** Soon, and once, however often a slider moves. */
  runSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.run(), 120);
  }

  async run(): Promise<void> {
    if (this.offline) return;
    this.#asked?.abort();
    const asked = (this.#asked = new AbortController());
    this.busy = true;
    try {
      // The whole model's answer is asked for once: switching a head must not wait for it again.
      const question = this.#question(noEdits());
      const key = JSON.stringify(question);
      const known = key === this.#baselineKey ? this.baseline : null;
      const plain = known ?? ask<Translation>("POST", "/explain", question, asked.signal);
      const edited = this.edited
        ? ask<Translation>("POST", "/explain", this.#question(this.view.edits), asked.signal)
        : plain;
      [this.baseline, this.translation] = await Promise.all([plain, edited]);
      this.#baselineKey = key;
      this.error = "";
    } catch (error) {
      if (!asked.signal.aborted) this.error = sentence(error);
    } finally {
      if (this.#asked === asked) this.busy = false;
    }
  }

  /** Queries, keys and values of one head; null where there is no model to ask. */
  async arithmetic(attention: string, head: number): Promise<Arithmetic | null> {
    const known = this.translation?.arithmetic?.find((a) => a.attention === attention && a.head === head);
    if (known || this.offline) return known ?? null;
    const question = { ...this.#question(this.view.edits), include: [], arithmetic: { attention, head } };
    const answer = await ask<Translation>("POST", "/explain", question);
    return answer.arithmetic?.[0] ?? null;
  }

  /** This view as one HTML file. */
  async page(): Promise<Blob> {
    const head = this.view.head;
    const arithmetic = typeof head === "number" && this.attention ? { attention: this.attention, head } : undefined;
    return askPage({ ...this.#question(this.view.edits), arithmetic, view: writeView(this.view) });
  }

  #question(edits: Edits): Record<string, unknown> {
    const { q, beam, alpha } = this.view;
    return {
      q,
      edits,
      include: ["attention", "search", ...this.#needs],
      ...(beam === null ? {} : { beam_width: beam }),
      ...(alpha === null ? {} : { alpha }),
    };
  }

  #writeAddress(): void {
    history.replaceState(null, "", `#${writeView(this.view)}`);
  }

  #followAddress(): void {
    const before = JSON.stringify(this.#question(this.view.edits));
    this.view = readView(location.hash);
    // A file shows what it holds, whatever its address says.
    if (this.translation && this.offline) Object.assign(this.view, { q: this.translation.source, edits: this.translation.edits ?? noEdits() });
    if (JSON.stringify(this.#question(this.view.edits)) !== before) void this.run();
  }
}

export function noEdits(): Edits {
  return { heads_off: {}, layers_skipped: [], source_hidden: [] };
}

export function hasEdits(edits: Edits | null | undefined): boolean {
  if (!edits) return false;
  const heads = Object.values(edits.heads_off).some((off) => off.length > 0);
  return heads || edits.layers_skipped.length > 0 || edits.source_hidden.length > 0;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readEmbedded<T>(id: string): T | null {
  const text = document.getElementById(id)?.textContent?.trim();
  return text && text !== "null" ? (JSON.parse(text) as T) : null;
}

export const explorer = new Explorer();
