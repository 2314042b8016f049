// What shows files and texts: an opener for .csv files, the window's own components for Markdown, code and differences, and a directive
// for messages of agents.
import {
  definePluginApp,
  experimental_Diff as Diff,
  experimental_SourceCode as SourceCode,
  Markdown,
  type PluginFileOpenerProps,
  type PluginMessageDirectiveProps,
  useSdk,
} from "@get-svc/plugin-sdk/app";
import { useEffect, useState } from "react";

import { parseCsv } from "./csv";

const kSample = 'city,country,population\n"Ulm, an der Donau",Germany,128928\nLeiden,Netherlands,127089\n';
const kMarkdown = `Paste comma-separated text, and it becomes a **table**.

| Written | Read |
|---|---|
| \`a,"b,c"\` | \`a\` and \`b,c\` |

The number of cells is $rows \\times columns$.`;
const kPatch = `--- a/cities.csv
+++ b/cities.csv
@@ -1,2 +1,3 @@
 city,country,population
-Leiden,Netherlands,127000
+Leiden,Netherlands,127089
+Ulm,Germany,128928
`;

export default definePluginApp((app) => {
  app.slots.navPanel({ id: "csv", title: "CSV view", icon: "Table", path: "csv", component: CsvPage });
  app.slots.fileOpener({ id: "csv", title: "Table", extensions: ["csv"], component: CsvFile });
  // `::csv{data="a,b"}` in a message of an agent.
  app.slots.messageDirective({ id: "csv", component: CsvDirective });
});

/** The first row names the columns. */
export function CsvTable({ text, label }: { text: string; label: string }) {
  const [head, ...rows] = parseCsv(text);
  if (head === undefined) {
    return <p className="text-sm text-muted-foreground">The file is empty.</p>;
  }
  return (
    <div role="region" aria-label={label} tabIndex={0} className="overflow-x-auto rounded-lg border border-border">
      <table className="w-full text-left text-sm">
        <thead className="bg-muted">
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" className="px-3 py-2 font-medium">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} className="border-t border-border">
              {row.map((cell, column) => (
                <td key={column} className="px-3 py-2 tabular-nums">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CsvPage() {
  const [text, setText] = useState(kSample);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-8">
      <Markdown content={kMarkdown} />
      <label className="flex flex-col gap-1 text-sm">
        Comma-separated text
        <textarea
          rows={5}
          spellCheck={false}
          className="rounded-md border border-input bg-background px-3 py-2 font-mono text-sm"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <CsvTable text={text} label="Table" />
      <section aria-labelledby="csv-as-code" className="flex flex-col gap-2">
        <h2 id="csv-as-code" className="text-sm font-medium">
          As code
        </h2>
        <SourceCode content={text} path="cities.csv" />
      </section>
      <section aria-labelledby="csv-change" className="flex flex-col gap-2">
        <h2 id="csv-change" className="text-sm font-medium">
          As a change
        </h2>
        <Diff patch={kPatch} path="cities.csv" />
      </section>
    </div>
  );
}

/** In place of the built-in view of a .csv file, which it falls back to. */
function CsvFile({ path, source, Original }: PluginFileOpenerProps) {
  const sdk = useSdk();
  const [text, setText] = useState<string | null>();
  useEffect(() => {
    let current = true;
    const hostId = source.experimental_hostId;
    sdk.files.read({ path, ...(hostId === undefined ? {} : { hostId }) }).then(
      ({ content, contentEncoding }) => current && setText(contentEncoding === "utf8" ? content : null),
      // The built-in view says why a file cannot be read.
      () => current && setText(null),
    );
    return () => {
      current = false;
    };
  }, [sdk, path, source.experimental_hostId]);
  return text === undefined ? (
    <p className="text-sm text-muted-foreground">Loading…</p>
  ) : text === null ? (
    <Original />
  ) : (
    <CsvTable text={text} label={path} />
  );
}

/** Attributes come from an agent: text only, never anything to run. */
function CsvDirective({ attributes }: PluginMessageDirectiveProps) {
  return <CsvTable text={(attributes.data ?? "").replaceAll(";", "\n")} label="Table of the message" />;
}
