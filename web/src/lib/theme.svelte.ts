// Light or dark: the system's, until somebody chooses.

type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");

class ThemeChoice {
  now: Theme = $state(system.matches ? "dark" : "light");
  #chosen = false;

  constructor() {
    system.addEventListener("change", () => {
      if (!this.#chosen) this.#set(system.matches ? "dark" : "light");
    });
    this.#set(this.now);
  }

  toggle(): void {
    this.#chosen = true;
    this.#set(this.now === "dark" ? "light" : "dark");
  }

  #set(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    this.now = theme;
  }
}

export const theme = new ThemeChoice();
