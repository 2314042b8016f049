const kColumns = [
  ["scenario", (row) => row.scenario],
  ["unit", (row) => `${row.unit} (${row.better} is better)`],
  ["ours", (row) => String(row.ours)],
  ["peer", (row) => (row.peer === null ? "-" : String(row.peer))],
  ["ratio", (row) => (row.ratio === null ? "-" : `${row.ratio}x`)],
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
