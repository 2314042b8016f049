// The peer of the start: a Node host that isolates its plugins in a worker thread each. BENCH_WORKERS says how many.
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

if (isMainThread) {
  const workers = Array.from({ length: Number(process.env.BENCH_WORKERS) }, () => new Worker(fileURLToPath(import.meta.url)));
  await Promise.all(workers.map((worker) => once(worker, "message")));
  const server = createServer((_, response) => response.end());
  server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
  process.on("SIGTERM", () => process.exit(0));
} else {
  parentPort.on("message", () => undefined);
  parentPort.postMessage("running");
}
