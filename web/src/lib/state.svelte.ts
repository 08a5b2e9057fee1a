// The one store: what is asked (also in the address, so that any view is a link), and what was answered.
// Views read it and call its methods; nothing else talks to the server.
import { ask, askPage } from "./server";
import type { Arithmetic, Edits, Model, Translation } from "./types";
import { readView, writeView, type View, type ViewName } from "./view";

/** What a view needs beside attention and search. It costs, so it is asked for only where it is seen. */
const NEEDS: Partial<Record<ViewName, "similarity" | "head_effects">> = { way: "similarity", whatif: "head_effects" };

interface Question {
  q: string;
  edits: Edits;
  include: string[];
  beam_width?: number;
  alpha?: number;
}

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

  #asked: AbortController | null = null;
  /** What `translation` and `baseline` answer. */
  #answered: Question | null = null;
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
      this.#writeAddress(); // so that Back leads here again
    }
  }

  async start(): Promise<void> {
    addEventListener("hashchange", () => this.#followAddress());
    addEventListener("popstate", () => this.#followAddress());
    if (this.offline) return;
    this.busy = true;
    try {
      this.model = await ask<Model>("GET", "/model");
      if (!this.view.q && this.model.src_lang === "en") this.view.q = FIRST_SENTENCE;
      this.#writeAddress();
      document.title = `glassformer · ${this.model.name}`;
    } catch (error) {
      this.error = sentence(error);
    }
    this.busy = false;
    if (this.model && this.view.q) await this.run();
  }

  /** The attention in view, or the last cross-attention: the one that says most about a translation. */
  get attention(): string {
    return this.attentionOf("");
  }

  /** The same among the attentions whose name ends so: "cross", "self". */
  attentionOf(kind: string): string {
    const names = Object.keys(this.translation?.attention ?? {}).filter((name) => name.endsWith(kind));
    if (names.includes(this.view.attention)) return this.view.attention;
    return names.filter((name) => name.endsWith("cross")).at(-1) ?? names[0] ?? "";
  }

  /** The head in view; a number that this model does not have is the mean. */
  get head(): number | "mean" | "all" {
    const heads = this.translation?.model.heads ?? 0;
    return typeof this.view.head === "number" && this.view.head >= heads ? "mean" : this.view.head;
  }

  /** One head, where a mean will not do. */
  get oneHead(): number {
    return typeof this.head === "number" ? this.head : 0;
  }

  /** Whether what is shown is not (or not yet) of the sentence asked for. */
  get stale(): boolean {
    return this.translation !== null && this.translation.source !== this.view.q;
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

  /** Another view. Places belong to the view they were chosen in, unless `changes` says so. */
  go(view: ViewName, changes: Partial<View> = {}): void {
    Object.assign(this.view, { view, place: null, beside: null, ...changes });
    this.#writeAddress("push");
    this.#fetchNeeds();
  }

  translate(q: string): void {
    // Places that were hidden belong to the sentence before.
    Object.assign(this.view, { q, place: null, beside: null, node: null, edits: { ...this.view.edits, source_hidden: [] } });
    this.#writeAddress("push");
    void this.run();
  }

  /** The same sentence with everything else as it was in the beginning: the way out of a link that asks the impossible. */
  restart(): void {
    this.view = { ...readView(""), view: this.view.view, q: this.view.q || FIRST_SENTENCE };
    this.#writeAddress("push");
    void this.run();
  }

  edit(edits: Edits): void {
    // At once: a switch is thrown once, a slider moves many times.
    this.change({ edits, node: null });
    void this.run();
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
      const answered = this.#question(this.view.edits);
      [this.baseline, this.translation] = await Promise.all([plain, edited]);
      this.#baselineKey = key;
      this.#answered = answered;
      this.error = "";
    } catch (error) {
      if (asked.signal.aborted) return;
      this.error = sentence(error);
      this.#takeBackEdits();
    } finally {
      if (this.#asked === asked) this.busy = false;
    }
    this.#fetchNeeds();
  }

  /** Queries, keys and values of one head; null where there is no model to ask. */
  async arithmetic(attention: string, head: number): Promise<Arithmetic | null> {
    const known = this.translation?.arithmetic?.find((a) => a.attention === attention && a.head === head);
    if (known || this.offline) return known ?? null;
    // What the translation in view answered, not what may have been asked since.
    const question = { ...this.#answered, include: [], arithmetic: { attention, head } };
    const answer = await ask<Translation>("POST", "/explain", question);
    return answer.arithmetic?.[0] ?? null;
  }

  /** This view as one HTML file. */
  async page(): Promise<Blob> {
    const arithmetic = this.attention ? { attention: this.attention, head: this.oneHead } : undefined;
    // The sentence and the edits are in the file itself; in an address one letter of Hindi takes nine characters.
    const view = writeView({ ...this.view, q: "", edits: noEdits() });
    return askPage({ ...this.#question(this.view.edits), arithmetic, view });
  }

  #question(edits: Edits): Question {
    const { q, beam, alpha } = this.view;
    const need = NEEDS[this.view.view];
    return {
      q,
      edits: $state.snapshot(edits),
      include: ["attention", "search", ...(need ? [need] : [])],
      ...(beam === null ? {} : { beam_width: beam }),
      ...(alpha === null ? {} : { alpha }),
    };
  }

  /** Ask once more if the view now open needs what the last answer left out. */
  #fetchNeeds(): void {
    const need = NEEDS[this.view.view];
    if (need && this.#answered && !this.busy && !this.#answered.include.includes(need)) void this.run();
  }

  /** A switch that the model refused, or that nobody answered, is not thrown. */
  #takeBackEdits(): void {
    if (!this.#answered || this.stale) return;
    this.view.edits = this.#answered.edits;
    this.#writeAddress();
  }

  #writeAddress(how: "push" | "replace" = "replace"): void {
    try {
      history[`${how}State`](null, "", `#${writeView(this.view)}`);
    } catch {
      // The frame of a notebook has no address of its own.
    }
  }

  #followAddress(): void {
    const before = JSON.stringify(this.#question(this.view.edits));
    const q = this.view.q;
    this.view = readView(location.hash);
    this.view.q ||= q;
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
