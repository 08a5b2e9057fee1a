// Light or dark: the system's, until somebody chooses; that choice is kept for the next visit.

type Theme = "light" | "dark";

const KEY = "glassformer-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

class ThemeChoice {
  now: Theme = $state("light");
  #chosen = false;

  constructor() {
    system.addEventListener("change", () => {
      if (!this.#chosen) this.#set(system.matches ? "dark" : "light");
    });
    const kept = recall();
    this.#chosen = kept !== null;
    this.#set(kept ?? (system.matches ? "dark" : "light"));
  }

  toggle(): void {
    this.#chosen = true;
    this.#set(this.now === "dark" ? "light" : "dark");
    remember(this.now);
  }

  #set(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    this.now = theme;
  }
}

// A page that may store nothing (a sandboxed frame, strict privacy settings) throws on the first look: it goes without.

function recall(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // not kept
  }
}

export const theme = new ThemeChoice();
