// A plot of all rounds of both sides of a line: a point each, the middle half as a box, the median as a stroke, the bar dashed.
import { escaped, linearTicks, numbered, short } from "./page.mjs";
import { middleHalf } from "./stats.mjs";

const kWidth = 360;
const kLeft = 40;
const kRight = 20;
const kTop = 18;
const kLane = 36;
const kAxis = 24;

/** Points of equal values would hide each other. */
const kScatter = [0, -5, 5, -9, 9];

/** Where the bar of a line lies on its axis; null when it has none there. */
export function barValue({ bar, peer, better }) {
  if (bar === null) {
    return null;
  }
  if (bar.value !== undefined) {
    return bar.value;
  }
  return peer === null ? null : better === "higher" ? peer * bar.ratio : peer / bar.ratio;
}

function lane({ label, className, values, middle, unit }, top, place) {
  const y = top + kLane / 2;
  const [from, to] = middleHalf(values).map(place);
  const points = values.map(
    (value, index) =>
      `<circle cx="${place(value).toFixed(1)}" cy="${y + kScatter[index % kScatter.length]}" r="3"><title>round ${index + 1}: ${numbered(value)} ${escaped(unit)}</title></circle>`,
  );
  return `<g class="${className}"><text x="${kLeft - 8}" y="${y + 4}" text-anchor="end">${label}</text>
<rect x="${from.toFixed(1)}" y="${y - 10}" width="${Math.max(1, to - from).toFixed(1)}" height="20"/>
<path d="M${place(middle).toFixed(1)} ${y - 14}v28"/>
${points.join("")}</g>`;
}

export function roundsPlot(row) {
  const { runs, ours, peer, unit } = row;
  const bar = barValue(row);
  const ticks = linearTicks(Math.max(...runs.ours, ...(runs.peer ?? []), ours, peer ?? 0, bar ?? 0));
  const place = (value) => kLeft + ((kWidth - kLeft - kRight) * value) / ticks.at(-1);
  const lanes = [{ label: "svc", className: "ours", values: runs.ours, middle: ours, unit }];
  if (runs.peer !== null) {
    lanes.push({ label: "peer", className: "peer", values: runs.peer, middle: peer, unit });
  }
  const bottom = kTop + kLane * lanes.length;
  const grid = ticks.map(
    (tick) =>
      `<path class="grid" d="M${place(tick).toFixed(1)} ${kTop}V${bottom}"/><text x="${place(tick).toFixed(1)}" y="${bottom + 15}" text-anchor="middle">${short(tick)}</text>`,
  );
  const mark =
    bar === null
      ? ""
      : `<path class="bar" d="M${place(bar).toFixed(1)} ${kTop - 4}V${bottom}"/><text x="${place(bar).toFixed(1)}" y="11" text-anchor="middle">bar</text>`;
  const count = `${runs.ours.length} ${runs.ours.length === 1 ? "round" : "rounds"}`;
  return `<svg viewBox="0 0 ${kWidth} ${bottom + kAxis}" role="img" aria-label="${escaped(`${row.scenario}: ${count} in ${unit}`)}">
${grid.join("\n")}
${lanes.map((one, index) => lane(one, kTop + index * kLane, place)).join("\n")}
${mark}
</svg>`;
}

export const kRoundsStyle = `
.ours { --side: var(--ours) } .peer { --side: var(--peer) }
circle { fill: var(--side); opacity: .8 } rect { fill: var(--side); opacity: .22 } g path { stroke: var(--side); stroke-width: 2.5 }
.bar { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3 }
`;
