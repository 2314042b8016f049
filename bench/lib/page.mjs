// What the pages of measurements have in common: one file without anything from elsewhere, in light and dark, on wide and narrow screens.

/** Text as a page may have it, in attributes, too. */
export const escaped = (text) => String(text).replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

const kThreeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** A number as people read it: three digits, thousands apart. */
export const numbered = (value) => kThreeDigits.format(value);

/** A number for an axis. */
export const short = (value) =>
  value >= 1e6 ? `${numbered(value / 1e6)} M` : value >= 10_000 ? `${numbered(value / 1000)} k` : numbered(value);

const kStyle = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif;
  --page: #f7f7f8; --card: #fff; --line: #dcdce2; --text: #1c1d22; --quiet: #5c606b; --ours: #2563c9; --peer: #767b88;
  --good: #17713a; --bad: #b3261e; --link: #1d58b8 }
@media (prefers-color-scheme: dark) { :root {
  --page: #131417; --card: #1b1d21; --line: #33363d; --text: #e8e9ec; --quiet: #a2a7b3; --ours: #6ea4ff; --peer: #9aa0ae;
  --good: #5fd08a; --bad: #ff8a80; --link: #8ab6ff } }
* { box-sizing: border-box }
body { max-width: 1400px; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--text) }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .25rem } p { margin: .25rem 0 1rem; max-width: 75ch }
a { color: var(--link) } :focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 1rem }
figure, article { margin: 0; padding: .9rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; min-width: 0 }
svg { display: block; width: 100%; height: auto } text { font-size: 11px; fill: var(--quiet) } .grid { stroke: var(--line) }
`;

/** A page; `style` and `body` are those of its kind. */
export function page({ title, style = "", body }) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${kStyle}${style}</style></head><body>
${body}
</body></html>
`;
}

/** Steps of an axis from 0 on: round numbers, some four of them, the last one at or above `most`. */
export function linearTicks(most) {
  if (!(most > 0)) {
    return [0, 1];
  }
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough) * power;
  // Multiples, not sums: 0.1 three times is not 0.3.
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
