/** The host entry of a plugin in its process: loads it and answers what src/worker_session.cpp passes on. */
import type { ExperimentalHostEntry } from "../../../sdk/src/host/definition.js";
import { answerHostCall, type HostCallFailure } from "../../../sdk/src/host_policy/call.js";
import type { NativeDatabases } from "../../database/js/database/native";
import { ownedByHostWorker } from "../../jsruntime/js/prelude/owner.js";
import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime.js";
import { installMissingModules } from "./builtin_modules.js";
import { makeContexts, type Contexts } from "./context.js";
import { makeImporter, type ImportFile } from "./importer.js";
import { installSqlite } from "./node_sqlite.js";
import { makeWatches } from "./watches.js";

/** Matches WorkerSession::created. */
interface Start {
  module: string;
  dataDir: string;
  tempDir: string;
}

const kStartFailed = "worker_start_failed";

export default function hostEntry(runtime: HostRuntime): void {
  // libuv's own variable is the runtime's, not the user's.
  delete process.env["UV_THREADPOOL_SIZE"];
  ownedByHostWorker(require);
  installMissingModules();
  installSqlite(() => runtime.native<NativeDatabases>("database"));
  serve(runtime, makeImporter());
}

export function serve(runtime: HostRuntime, importFile: ImportFile): void {
  const send = (message: object): void => void runtime.callSync("worker.send", JSON.stringify(message));
  const watches = makeWatches(send, (error) => runtime.reportUncaught(error, "timer"));
  let entry: ExperimentalHostEntry | undefined;
  let contexts: Contexts | undefined;

  runtime.handle("start", async (_meta, body) => {
    const { module, dataDir, tempDir } = JSON.parse(body) as Start;
    let loaded: Record<string, unknown>;
    try {
      loaded = await importFile(module);
    } catch (error) {
      throw runtime.error(kStartFailed, `the host entry failed to load: ${runtime.formatStack(error)}`);
    }
    entry = entryOf(runtime, loaded["default"]);
    contexts = makeContexts(
      entry,
      { dataDir, tempDir },
      {
        send,
        signal: (name, payload) => runtime.call("worker.signal", signalMessage(name, payload)).then(() => undefined),
        watches,
      },
    );
    return undefined;
  });

  runtime.handle("call", (method: string, input: string, call: HostCall) =>
    answer(runtime, entry!, contexts!, method, input === "" ? undefined : input, call),
  );

  runtime.handle("watch", (_meta, body: string) => {
    watches.received(JSON.parse(body));
    return undefined;
  });

  runtime.handle("dispose", async () => {
    watches.close();
    contexts?.abort();
    try {
      await entry?.dispose?.();
    } catch (error) {
      runtime.reportUncaught(error, "timer");
    }
    return undefined;
  });
}

async function answer(
  runtime: HostRuntime,
  entry: ExperimentalHostEntry,
  contexts: Contexts,
  method: string,
  input: string | undefined,
  call: HostCall,
): Promise<string | undefined> {
  const { context, close } = contexts.open(call);
  try {
    return await answerHostCall(entry, method, input, context);
  } catch (thrown) {
    const { code, message, details, cause } = thrown as HostCallFailure;
    // A handler that ends because its caller has given up has not failed: that is nothing for the log.
    const givenUp = (cause as Error | undefined)?.name === "AbortError" && call.signal.aborted;
    throw runtime.error(code, message, { details, cause: givenUp ? undefined : cause });
  } finally {
    close();
  }
}

function entryOf(runtime: HostRuntime, value: unknown): ExperimentalHostEntry {
  const version = (value as { experimental_apiVersion?: unknown } | null | undefined)?.experimental_apiVersion;
  if (version === 1) {
    return value as ExperimentalHostEntry;
  }
  throw runtime.error(
    kStartFailed,
    version === undefined
      ? "the default export of the host entry must be made by experimental_defineHostEntry"
      : `the host entry was built for version ${String(version)} of the host API, this machine has version 1: build it again with the SDK of the server`,
  );
}

/** `payload` is JSON text. */
function signalMessage(name: string, payload: string | undefined): string {
  return `{"type":"signal","signal":${JSON.stringify(name)}${payload === undefined ? "" : `,"payload":${payload}`}}`;
}
