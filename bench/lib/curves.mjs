// A plot of each line, both axes logarithmic.
import { escaped, page, short } from "./page.mjs";

const kWidth = 420;
const kHeight = 220;
const kMargin = { left: 62, right: 14, top: 12, bottom: 34 };

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

const kStyle = `
polyline { fill: none; stroke: var(--ours); stroke-width: 2 } circle { fill: var(--ours) } .grown { fill: var(--bad) }
figcaption { margin-bottom: .5rem }
`;

export function curvesPage(curves) {
  const sections = curves.map(
    ({ name, summary, lines }) =>
      `<h2>${escaped(name)}</h2><p>${escaped(summary)}</p><div class="cards">${lines.map(plot).join("\n")}</div>`,
  );
  const body = `<h1>Cost as work grows</h1>
<p>What one more costs when there are so many of them; both axes are logarithmic. A flat line is work that grows with what there is to do. Red: more than it may.</p>
${sections.join("\n")}`;
  return page({ title: "Cost as work grows", style: kStyle, body });
}
