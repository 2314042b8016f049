const kOr = (value, text = (one) => String(one)) => (value === null || value === undefined ? "-" : text(value));

function bar({ bar: wanted, met, better }) {
  if (wanted === null) {
    return "-";
  }
  const least = wanted.ratio === undefined ? `${better === "higher" ? ">=" : "<="} ${wanted.value}` : `>= ${wanted.ratio}x`;
  return `${least} ${met ? "met" : "missed"}`;
}

const both = (row, member) => (row.use === null ? "-" : `${kOr(row.use.ours?.[member])} / ${kOr(row.use.peer?.[member])}`);

const kColumns = [
  ["scenario", (row) => row.scenario],
  ["unit", (row) => `${row.unit} (${row.better} is better)`],
  ["ours", (row) => String(row.ours)],
  ["peer", (row) => kOr(row.peer)],
  ["ratio", (row) => kOr(row.ratio, (ratio) => `${ratio}x`)],
  ["bar", bar],
  ["spread %", (row) => kOr(row.spreadPercent, ({ ours, peer }) => `${kOr(ours)} / ${kOr(peer)}`)],
  ["CPU µs each", (row) => both(row, "cpuUs")],
  ["MiB", (row) => both(row, "rssMiB")],
  ["peer is", (row) => row.peerName ?? "-"],
];

export function formatTable(rows) {
  const cells = [kColumns.map(([title]) => title), ...rows.map((row) => kColumns.map(([, cell]) => cell(row)))];
  const widths = kColumns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
