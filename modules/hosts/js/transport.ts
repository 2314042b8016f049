/** The way to the host entries through the service: its host functions, and the events it sends. */
import type { HostRuntime } from "../../jsruntime/js/runtime";
import { abortError, messageOf } from "../../plugins/js/policy/thrown";
import type { Wire } from "../../../sdk/src/host_policy/call";
import type { HostEvent, HostRpcCall, HostTransport } from "./hosts";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
const { Promise } = globalThis;

type Listener = (event: HostEvent) => unknown;

function readPayload(text: string): Pick<HostEvent, "payload" | "malformed"> {
  try {
    return { payload: text === "" ? undefined : parse(text) };
  } catch (error) {
    return { malformed: `it is not JSON: ${messageOf(error)}` };
  }
}

/** The answer, or the AbortError of who gives up first. */
export function endedByAbort(answer: Promise<Wire>, method: string, signal: AbortSignal, cancel: () => void): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(abortError(`the call of "${method}" was aborted`));
    };
    const settled = (): void => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort, { once: true });
    answer.then(
      (output) => (settled(), resolve(output)),
      (error: unknown) => (settled(), reject(error)),
    );
  });
}

/** Every listener gets the event, whatever another one throws. Rejects with the first failure; `report` takes the others. */
export async function tellAll(listeners: Iterable<Listener>, event: HostEvent, report: (error: unknown) => void): Promise<void> {
  let hasFailed = false;
  await Promise.all(
    Array.from(listeners, async (listener) => {
      try {
        await listener(event);
      } catch (error) {
        if (hasFailed) {
          report(error);
          return;
        }
        hasFailed = true;
        throw error;
      }
    }),
  );
}

/** `report` takes failures that are those of no call. */
export function serviceTransport(runtime: HostRuntime, report: (error: unknown) => void): HostTransport {
  const listeners = new Set<Listener>();
  let lastCall = 0;

  function call({ hostId, method, input, signal, timeoutMs }: HostRpcCall): Promise<Wire> {
    const id = ++lastCall;
    // JSON text has no raw line break, so the first four separate the parts.
    const answer = runtime.call("hosts.call", `${stringify(hostId)}\n${id}\n${timeoutMs}\n${stringify(method)}\n${input ?? ""}`);
    return signal === undefined ? answer : endedByAbort(answer, method, signal, () => void runtime.callSync("hosts.cancel", String(id)));
  }

  function listen(listener: Listener): () => void {
    // The same function may listen twice.
    const own: Listener = (event) => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  // The first failure is that of the call.
  runtime.handle("hosts.event", (meta, payload) => {
    if (listeners.size === 0) {
      return undefined;
    }
    const { hostId, signal } = parse(meta) as { hostId: string; signal?: string };
    const event: HostEvent = { hostId, signal, ...readPayload(payload) };
    return tellAll(listeners, event, report).then(() => undefined);
  });

  return {
    call,
    listen,
    declarePorts: (hostId, ports) => runtime.callSync("hosts.declarePorts", stringify({ hostId, ports })) === "true",
  };
}
