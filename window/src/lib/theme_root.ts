import type { ThemeMode } from "./theme";

/** Shows a mode on the root element: attribute and class, which plugins rely on, and the colour of the browser's own bars. */
export function createElementThemeSink(): (mode: ThemeMode) => void {
  return (mode) => {
    if (typeof document === "undefined") {
      return;
    }
    const root = document.documentElement;
    root.dataset.theme = mode;
    root.classList.toggle("dark", mode === "dark");
    root.classList.toggle("light", mode === "light");
    root.style.colorScheme = mode;
  };
}
