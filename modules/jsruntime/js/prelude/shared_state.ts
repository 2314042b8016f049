/**
 * State that Node keeps once per process: OpenSSL's providers and engines, V8's flags, where reports go. The server and all plugins
 * share it, so a script reads it and does not change it.
 */
import { internalBindingIfThere } from "./internals.js";

type Members = Record<string, unknown>;

const kShared = "it would change the whole server";

/** Also in `process.binding(name)`, beside what Node's public modules take care of: members and what to call them. */
const kRefusedInBindings: Record<string, Record<string, string>> = {
  crypto: { setFipsCrypto: "crypto.setFips()", testFipsCrypto: "testFipsCrypto()", setEngine: "crypto.setEngine()" },
  os: { setPriority: "setPriority() of the binding" },
  v8: {
    setFlagsFromString: "setFlagsFromString() of the binding",
    setHeapSnapshotNearHeapLimit: "setHeapSnapshotNearHeapLimit() of the binding",
  },
};

export function unsupported(what: string, why = kShared): () => never {
  return () => {
    throw Object.assign(new Error(`${what} is not supported: ${why}`), { code: "ERR_WORKER_UNSUPPORTED_OPERATION" });
  };
}

type CryptoBinding = Members & { SecureContext?: { prototype: Members } };

/**
 * Before anything asks for Node's `crypto`, whose functions are those that the binding has then. Node 24 keeps the binding to itself; in
 * its executable the functions below it refuse (src/uv_slots.cpp).
 */
export function guardSharedState(process: NodeJS.Process): void {
  const crypto = quietly(process, () => internalBindingIfThere<CryptoBinding>(process, "crypto"));
  if (crypto !== undefined) {
    Object.assign(crypto, refusedMembers("crypto", crypto));
    refuseEngines(crypto.SecureContext?.prototype);
  }
  guardReports(process.report as unknown as Members | undefined);
}

/** Options of TLS that name an engine: a library that is loaded into the process, for everybody. */
function refuseEngines(prototype: Members | undefined): void {
  for (const [name, option] of [
    ["setClientCertEngine", "clientCertEngine"],
    ["setEngineKey", "privateKeyEngine"],
  ] as const) {
    if (prototype !== undefined && name in prototype) {
      prototype[name] = unsupported(`the TLS option ${option}`, "the engine would be loaded into the whole server");
    }
  }
}

/** What `process.binding(name)` gives: Node's own modules keep what they have. */
export function withoutSharedState(name: string, binding: unknown): unknown {
  const refused = refusedMembers(name, binding as Members);
  return Object.keys(refused).length === 0 ? binding : { ...(binding as Members), ...refused };
}

function refusedMembers(name: string, binding: Members): Members {
  const refused = Object.hasOwn(kRefusedInBindings, name) ? Object.entries(kRefusedInBindings[name]!) : [];
  return Object.fromEntries(refused.filter(([member]) => member in binding).map(([member, what]) => [member, unsupported(what)]));
}

/** Reports are of all plugins, are written where the server works, and announced on its standard error. */
function guardReports(report: Members | undefined): void {
  if (report === undefined) {
    return;
  }
  report["writeReport"] = unsupported(
    "process.report.writeReport()",
    "it would write into a directory that is not the plugin's. Use process.report.getReport()",
  );
  for (const [name, { set, get }] of Object.entries(Object.getOwnPropertyDescriptors(report))) {
    if (set !== undefined) {
      // Node itself sets this one, with each setUncaughtExceptionCaptureCallback().
      const ignored = name === "reportOnUncaughtException";
      Object.defineProperty(report, name, {
        get,
        set: ignored ? () => undefined : unsupported(`setting process.report.${name}`),
        configurable: true,
        enumerable: true,
      });
    }
  }
}

/** Without the warnings about what Node would rather keep to itself, or calls experimental: a script has not asked for it. */
export function quietly<T>(process: NodeJS.Process, act: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}
