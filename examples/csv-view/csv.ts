/** Rows of comma-separated text (RFC 4180): quoted fields may hold commas, line ends and doubled quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  const endField = () => {
    row.push(field);
    field = "";
  };
  const endRow = () => {
    endField();
    rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; ++at) {
    const character = text[at];
    if (quoted) {
      if (character !== '"') {
        field += character;
      } else if (text[at + 1] === '"') {
        field += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (character === '"' && field === "") {
      quoted = true;
    } else if (character === ",") {
      endField();
    } else if (character === "\n") {
      endRow();
    } else if (character !== "\r") {
      field += character;
    }
  }
  if (field !== "" || row.length > 0) {
    endRow();
  }
  return rows;
}
