// The report of `scripts/bench` as a page: each scenario with its lines, their bars, all rounds, and what both sides took.
import { escaped, numbered, page } from "./page.mjs";
import { kRoundsStyle, roundsPlot } from "./rounds.mjs";

const amount = (value, unit) => `${numbered(value)} ${escaped(unit)}`;
const orNone = (value, unit) => (value === null || value === undefined ? "–" : amount(value, unit));

/** Of microseconds up to hours. */
function duration(us) {
  const [unit, size] = us >= 1e6 ? ["s", 1e6] : us >= 10_000 ? ["ms", 1000] : ["µs", 1];
  return amount(us / size, unit);
}

/** What a bar wants, as people say it. */
export function barText({ bar, better, unit }) {
  if (bar.ratio === 1) {
    return "at least as good";
  }
  if (bar.ratio !== undefined) {
    return bar.ratio < 1 ? `at least ${numbered(bar.ratio)} times as good` : `at least ${numbered(bar.ratio)} times better`;
  }
  return `at ${better === "higher" ? "least" : "most"} ${bar.value} ${unit}`;
}

function verdict(row) {
  if (row.bar === null) {
    return "";
  }
  const [word, className] = row.met ? ["met", "good"] : ["not met", "bad"];
  return `<p class="verdict ${className}"><strong>${row.met ? "✓" : "✗"} ${word}</strong> <span>bar: ${escaped(barText(row))}</span></p>`;
}

function comparison({ ours, unit, better, ratio, peerName }) {
  const lead = ratio === null ? amount(ours, unit) : `${numbered(ratio)} times`;
  const rest = ratio === null ? "" : ` ${ratio < 1 ? "as good as" : "better than"} ${escaped(peerName)}`;
  return `<p class="lead"><b>${lead}</b>${rest}</p><p class="quiet">${escaped(unit)}; ${better} is better</p>`;
}

function side(label, value, row, key) {
  const use = row.use?.[key];
  const cells = [
    amount(value, row.unit),
    orNone(row.spreadPercent?.[key], "%"),
    use?.cpuUs == null ? "–" : duration(use.cpuUs),
    orNone(use?.rssMiB, "MiB"),
  ];
  return `<tr><th scope="row">${label}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function numbers(row) {
  const whose =
    row.use === null || row.use.of === "server" ? "" : `<p class="quiet">CPU and memory are those of the ${escaped(row.use.of)}.</p>`;
  return `<table><thead><tr><td></td><th scope="col">median</th><th scope="col">spread</th><th scope="col">CPU each</th><th scope="col">memory</th></tr></thead>
<tbody>${side("svc", row.ours, row, "ours")}${row.peer === null ? "" : side("peer", row.peer, row, "peer")}</tbody></table>${whose}`;
}

const card = (row) => `<article>
<h3>${escaped(row.scenario)}</h3>${verdict(row)}
${comparison(row)}
${roundsPlot(row)}
${numbers(row)}
</article>`;

/** How many bars of the rows are met, as text; empty without a bar. */
function tally(rows) {
  const barred = rows.filter(({ bar }) => bar !== null);
  return barred.length === 0 ? "" : `${barred.filter(({ met }) => met).length} of ${barred.length} bars met`;
}

function section({ name, summary, rows, profile, error }) {
  return `<section id="${escaped(name)}"><h2>${escaped(name)}</h2>
<p>${escaped(summary).replace(/`([^`]+)`/g, "<code>$1</code>")}.${profile ? ` <a href="${escaped(profile)}">Flame graph</a>` : ""}</p>
${error === null ? "" : `<pre class="bad">${escaped(error)}</pre>`}
<div class="cards">${rows.map(card).join("\n")}</div></section>`;
}

function contents(scenarios) {
  const entries = scenarios.map(({ name, rows, error }) => {
    const isBad = error !== null || rows.some(({ met }) => met === false);
    const text = error === null ? tally(rows) || "no bars" : "failed";
    return `<li><a href="#${escaped(name)}">${escaped(name)}</a> <span class="${isBad ? "bad" : "quiet"}">${text}</span></li>`;
  });
  return `<nav aria-label="Scenarios"><ul>${entries.join("")}</ul></nav>`;
}

const kStyle = `${kRoundsStyle}
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0 } dt { color: var(--quiet) } dd { margin: 0; overflow-wrap: anywhere }
nav ul { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); gap: .25rem 1.5rem } nav li { display: flex; gap: .75rem; justify-content: space-between; border-bottom: 1px solid var(--line) }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere } article p { margin: .15rem 0 } .lead b { font-size: 1.4rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere } .quiet { color: var(--quiet) } .good strong { color: var(--good) } .bad, .bad strong { color: var(--bad) } .verdict { color: var(--text) }
table { border-collapse: collapse; width: 100%; font-size: .82rem; margin-top: .4rem } th, td { text-align: left; padding: .2rem .5rem .2rem 0; vertical-align: top; border-top: 1px solid var(--line); font-variant-numeric: tabular-nums }
thead th, thead td { border-top: 0; color: var(--quiet); font-weight: normal } tr > :last-child { padding-right: 0 }
`;

/** The page of a whole run: `about` is a table of facts, `scenarios` what `scripts/bench` writes as JSON. */
export function reportPage({ about, scenarios }) {
  const facts = Object.entries(about).map(([what, fact]) => `<dt>${escaped(what)}</dt><dd>${escaped(fact)}</dd>`);
  const all = scenarios.flatMap(({ rows }) => rows);
  const body = `<h1>Measurements</h1>
<p><strong>${tally(all) || "No bars in this run"}.</strong> Both sides run on the same machine and are measured in turns. A point is a round, the box the middle half of them, the
stroke their median, the dashed line the bar. Spread is how wide the box is, as a share of the median. CPU is the processor's time for an operation, of the server and all that it has started; memory the highest resident memory of the server itself.</p>
<dl>${facts.join("")}</dl>
${contents(scenarios)}
${scenarios.map(section).join("\n")}`;
  return page({ title: "Measurements of svc", style: kStyle, body });
}
