import { setImmediate as nextTurn } from "node:timers/promises";
import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const MAX_ROWS = 10_000_000;

export default function exportRows(svc: SvcPluginApi): void {
  // "token": programs fetch it with the plugin's token (`svc plugin token export`).
  svc.http.route(
    "GET",
    "/rows.csv",
    (c) => {
      const rows = Number(c.req.query("rows") ?? "1000");
      if (!Number.isInteger(rows) || rows < 1 || rows > MAX_ROWS) {
        return c.json({ error: `rows must be an integer from 1 to ${MAX_ROWS}` }, 400);
      }
      let next = 0;
      // pull is called when the client has room for more: a slow client makes the export slow, not large.
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const end = Math.min(next + 1_000, rows);
          let text = next === 0 ? "row,square\n" : "";
          for (; next < end; next += 1) {
            text += `${next},${next * next}\n`;
          }
          controller.enqueue(new TextEncoder().encode(text));
          if (next === rows) {
            controller.close();
          } else {
            await nextTurn();
          }
        },
        cancel() {
          svc.log.info(`the client left after ${next} of ${rows} rows`);
        },
      });
      return c.body(body, 200, {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="rows.csv"',
      });
    },
    { auth: "token" },
  );
}
