/** The host entries of a plugin: calls go to the test, signals and exits come from it. */
import type { HostEvent, HostRpcCall, HostTransport } from "../../modules/hosts/js/hosts";
import { endedByAbort, tellAll } from "../../modules/hosts/js/transport";
import { fromWire, kResult, toWire, type Wire } from "../src/host_policy/call";
import type { FakeHostRpcCall } from "../src/testing";
import { failure } from "./runtime";

export class FakeHosts implements HostTransport {
  readonly sharedPorts = new Map<string, number[]>();
  readonly #listeners = new Set<(event: HostEvent) => unknown>();
  /** Ends the calls that are on their way. */
  readonly #pending = new Set<(error: Error) => void>();
  #ended = false;

  constructor(
    private readonly answer: ((call: FakeHostRpcCall) => unknown) | undefined,
    /** Takes the failures of listeners, but for the first of an event. */
    private readonly report: (error: unknown) => void,
  ) {}

  async call(call: HostRpcCall): Promise<Wire> {
    if (this.#ended) {
      throw notRunning("is being unloaded or reloaded");
    }
    let end!: (error: Error) => void;
    const ended = new Promise<never>((_resolve, reject) => (end = reject));
    this.#pending.add(end);
    try {
      const answer = Promise.race([this.#answer(call), ended]);
      return await (call.signal === undefined ? answer : endedByAbort(answer, call.method, call.signal, () => undefined));
    } finally {
      this.#pending.delete(end);
    }
  }
  async #answer({ input, ...call }: HostRpcCall): Promise<Wire> {
    if (this.answer === undefined) {
      throw failure("host_unavailable", `host "${call.hostId}" is not connected`);
    }
    return toWire(await this.answer({ ...call, input: fromWire(input) }), "result", kResult);
  }
  listen(listener: (event: HostEvent) => unknown): () => void {
    const own = (event: HostEvent): unknown => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
  declarePorts(hostId: string, ports: number[]): boolean {
    this.sharedPorts.set(hostId, [...ports]);
    return true;
  }

  /** The load's worker is stopped: nothing of the test's answers is waited for. */
  end(): void {
    this.#ended = true;
    for (const end of this.#pending) {
      end(notRunning("was unloaded or reloaded during the call"));
    }
  }

  /** Resolves when the listeners have it; rejects with the first failure of one. */
  emit(event: HostEvent): Promise<void> {
    return tellAll(this.#listeners, event, this.report);
  }
}

function notRunning(what: string): Error {
  return failure("plugin_not_running", `the plugin ${what}`);
}
