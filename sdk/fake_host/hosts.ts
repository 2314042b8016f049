/** The host entries of a plugin: calls go to the test, signals and exits come from it. */
import type { HostEvent, HostTransport } from "../../modules/agents/js/hosts";
import type { FakeHostRpcCall } from "../src/testing";
import { failure } from "./runtime";

export class FakeHosts implements HostTransport {
  readonly sharedPorts = new Map<string, number[]>();
  readonly #listeners = new Set<(event: HostEvent) => unknown>();

  constructor(private readonly answer: ((call: FakeHostRpcCall) => unknown) | undefined) {}

  async call(call: FakeHostRpcCall): Promise<unknown> {
    if (this.answer === undefined) throw failure("host_unavailable", `host "${call.hostId}" is not connected`);
    return this.answer(call);
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
