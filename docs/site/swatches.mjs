// The colours beside their names on the page of colours, from the sheets that the window itself is made of.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const kRoot = fileURLToPath(new URL("../..", import.meta.url));
export const kColourPage = "docs/guide/colours.md";

/** The names that plugins compile against. */
export function colourNames() {
  const theme = readFileSync(join(kRoot, "modules/app/builder/theme.css"), "utf8");
  return [...theme.matchAll(/^ {2}--color-([\w-]+):/gm)].map(([, name]) => name);
}

/** Some let the page behind them through: that of their own mode. Of a part of a page in the class `light` or `dark`, the window's own colours, and one class for each. */
export function swatchSheet() {
  const tokens = readFileSync(join(kRoot, "window/src/styles/tokens.css"), "utf8").replaceAll(/:root(?:,\s*| \{[^}]*\})/g, "");
  return `${tokens}\n${colourNames()
    .map((name) => `.colour-${name} { background: linear-gradient(var(--color-${name}) 0 0), var(--canvas); }`)
    .join("\n")}\n`;
}

/** Of a row of the page: the swatches before the name. Empty for rows that name no colour. */
export function swatchesOf(name) {
  return colourNames().includes(name) ? ["light", "dark"].map((mode) => ["swatch", mode, `colour-${name}`]) : [];
}
