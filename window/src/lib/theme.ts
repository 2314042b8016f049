import { createStore, useStore } from "./store";
import { createElementThemeSink } from "./theme_root";

export type ThemeChoice = "system" | "light" | "dark";
export type ThemeMode = "light" | "dark";

export interface Theme {
  /** What the user chose. */
  readonly choice: ThemeChoice;
  /** What is shown. */
  readonly mode: ThemeMode;
}

/** Names of shiki themes. */
export interface CodeThemes {
  readonly light: string;
  readonly dark: string;
}

// A bare word, not JSON: the inline script of the page reads it before the first paint.
const kStorageKey = "svc.theme";
// Those of github that keep their contrast on the surfaces of both modes.
const kDefaultCodeThemes: CodeThemes = { light: "github-light-default", dark: "github-dark-default" };

const systemDark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : undefined;
const sink = createElementThemeSink();

function storedChoice(): ThemeChoice {
  try {
    const value = localStorage.getItem(kStorageKey);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

function resolve(choice: ThemeChoice): Theme {
  const mode = choice === "system" ? (systemDark?.matches ? "dark" : "light") : choice;
  return { choice, mode };
}

const theme = createStore<Theme>(resolve(storedChoice()));
const codeThemes = createStore<CodeThemes>(kDefaultCodeThemes);
// Rises when the tokens of the page became others.
const colours = createStore(0);
const nextColours = () => colours.update((count) => count + 1);

function show(choice: ThemeChoice): void {
  const next = resolve(choice);
  const current = theme.get();
  if (next.choice !== current.choice || next.mode !== current.mode) {
    theme.set(next);
  }
  sink(next.mode);
  nextColours();
}

show(theme.get().choice);
systemDark?.addEventListener("change", () => show(theme.get().choice));
if (typeof addEventListener === "function") {
  addEventListener("storage", (event) => {
    if (event.key === kStorageKey || event.key === null) {
      show(storedChoice());
    }
  });
}

/** Kept for this browser, all of its windows follow. */
export function setTheme(choice: ThemeChoice): void {
  try {
    if (choice === "system") {
      localStorage.removeItem(kStorageKey);
    } else {
      localStorage.setItem(kStorageKey, choice);
    }
  } catch {
    // Holds until the window closes.
  }
  show(choice);
}

export function useTheme(): Theme {
  return useStore(theme);
}

/** The same outside of React. */
export function themeNow(): Theme {
  return theme.get();
}

export function subscribeTheme(listener: () => void): () => void {
  return theme.subscribe(listener);
}

/** Called when the palette's sheet is there. Replaces the code themes that belong to it; undefined gives back the built-in ones. */
export function setCodeThemes(names: Partial<CodeThemes> | undefined): void {
  codeThemes.set({ ...kDefaultCodeThemes, ...names });
  nextColours();
}

/** Another number after each change of mode or palette, for what reads tokens by itself. */
export function useColoursVersion(): number {
  return useStore(colours);
}

/** The theme in which source code is shown, by its shiki name. */
export function useCodeTheme(): { name: string; mode: ThemeMode } {
  const { mode } = useTheme();
  const names = useStore(codeThemes);
  return { name: names[mode], mode };
}
