/** The host entries of a plugin: calls go to the test, signals and exits come from it. */
import type { HostEvent, HostRpcCall, HostTransport } from "../../modules/hosts/js/hosts";
import { fromWire, kResult, toWire, type Wire } from "../src/host_policy/call";
import type { FakeHostRpcCall } from "../src/testing";
import { failure } from "./runtime";

export class FakeHosts implements HostTransport {
  readonly sharedPorts = new Map<string, number[]>();
  readonly #listeners = new Set<(event: HostEvent) => unknown>();

  constructor(private readonly answer: ((call: FakeHostRpcCall) => unknown) | undefined) {}

  async call({ input, ...call }: HostRpcCall): Promise<Wire> {
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

  /** Resolves when the listeners have it. */
  async emit(event: HostEvent): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener(event)));
  }
}
