// A page without anything from elsewhere: a plot of each line, both axes logarithmic.
const kWidth = 420;
const kHeight = 220;
const kMargin = { left: 62, right: 14, top: 12, bottom: 34 };

const escaped = (text) => String(text).replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
const rounded = (value) => String(Number(value.toPrecision(3)));
const short = (value) => (value >= 1e6 ? `${rounded(value / 1e6)} M` : value >= 10_000 ? `${rounded(value / 1000)} k` : rounded(value));

/** From logarithms to the plot; values that are not above 0 lie on its lower edge. */
function scale(values, from, to) {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const least = logs.length === 0 ? 0 : Math.floor(Math.min(...logs));
  const most = Math.max(least + 1, Math.ceil(Math.max(...logs, least)));
  const place = (value) => from + ((to - from) * ((value > 0 ? Math.log10(value) : least) - least)) / (most - least);
  const ticks = Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index));
  return { place, ticks };
}

function plot({ unit, values, grown }) {
  const x = scale(
    values.map(({ at }) => at),
    kMargin.left,
    kWidth - kMargin.right,
  );
  const y = scale(
    values.map(({ value }) => value),
    kHeight - kMargin.bottom,
    kMargin.top,
  );
  const points = values.map(({ at, value }) => `${x.place(at).toFixed(1)},${y.place(value).toFixed(1)}`);
  const bottom = kHeight - kMargin.bottom;
  return `<figure><figcaption>${escaped(unit)}</figcaption>
<svg viewBox="0 0 ${kWidth} ${kHeight}" role="img" aria-label="${escaped(unit)}">
${y.ticks.map((tick) => `<path class="grid" d="M${kMargin.left} ${y.place(tick)}H${kWidth - kMargin.right}"/><text x="${kMargin.left - 6}" y="${y.place(tick) + 4}" text-anchor="end">${short(tick)}</text>`).join("\n")}
${values.map(({ at }) => `<text x="${x.place(at)}" y="${bottom + 18}" text-anchor="middle">${short(at)}</text>`).join("\n")}
<polyline points="${points.join(" ")}"/>
${values.map(({ at, value }, index) => `<circle class="${grown.includes(at) ? "grown" : ""}" cx="${points[index].split(",")[0]}" cy="${points[index].split(",")[1]}" r="4"><title>${at}: ${value}</title></circle>`).join("\n")}
</svg></figure>`;
}

export function curvesPage(curves) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Cost as work grows</title><meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { max-width: 1340px; margin: 2rem auto; padding: 0 1rem }
section { display: flex; flex-wrap: wrap; gap: 1rem } figure { margin: 0; width: ${kWidth}px; max-width: 100% }
svg { width: 100% } text { font-size: 11px; fill: currentColor } .grid { stroke: currentColor; opacity: .15 }
polyline { fill: none; stroke: #3b7dd8; stroke-width: 2 } circle { fill: #3b7dd8 } .grown { fill: #d33 }
</style></head><body>
<h1>Cost as work grows</h1>
<p>What one more costs when there are so many of them; both axes are logarithmic. A flat line is work that grows with what there is to do. Red: more than it may.</p>
${curves.map(({ name, summary, lines }) => `<h2>${escaped(name)}</h2><p>${escaped(summary)}</p><section>${lines.map(plot).join("\n")}</section>`).join("\n")}
</body></html>
`;
}
