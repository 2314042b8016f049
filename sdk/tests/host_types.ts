// Compiled, never run: what a host entry is handed, under the names authors use.
import { defineRpcContract, experimental_defineHostEntry } from "@get-svc/plugin-sdk/host";
import type {
  ExperimentalHostCallOptions,
  ExperimentalHostClient,
  ExperimentalHostPaths,
  ExperimentalHostRpcContext,
  ExperimentalHostRpcHandlers,
  ExperimentalHostSignalContract,
  ExperimentalHostSignalEvent,
  ExperimentalHostSignals,
  ExperimentalHostWatchChange,
  ExperimentalHostWatchChangeType,
  ExperimentalHostWatchEvent,
  ExperimentalHostWatchListener,
  ExperimentalHostWatchOptions,
  ExperimentalHostWatchSubscription,
  ExperimentalHostWorkerLease,
} from "@get-svc/plugin-sdk/host";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

const contract = defineRpcContract({ size: { input: z.object({ path: z.string() }), output: z.number() } });
const signals = { low: { payload: z.object({ bytes: z.number() }) } } satisfies ExperimentalHostSignals;

const handlers: ExperimentalHostRpcHandlers<typeof contract, typeof signals> = {
  size: async ({ path }, context) => {
    const lease: ExperimentalHostWorkerLease = context.experimental_retainWorker();
    const watch: ExperimentalHostWatchSubscription = await context.experimental_watch({ rootPath: path }, async () => undefined);
    expectType<Equal<ReturnType<typeof lease.dispose>, Promise<void>>>();
    expectType<Equal<ReturnType<typeof watch.dispose>, Promise<void>>>();
    expectType<Equal<typeof context.experimental_paths, ExperimentalHostPaths>>();
    await lease.dispose();
    return watch.dispose().then(() => 1);
  },
};
export default experimental_defineHostEntry({ contract, handlers, experimental_signals: signals });

export const listener: ExperimentalHostWatchListener = (event: ExperimentalHostWatchEvent) => {
  if (event.kind === "changed") {
    expectType<Equal<typeof event.type, "changed">>();
    expectType<Equal<typeof event.changes, ExperimentalHostWatchChange[]>>();
    expectType<Equal<(typeof event.changes)[0]["type"], ExperimentalHostWatchChangeType>>();
  }
  if (event.type === "watch-error") {
    expectType<Equal<typeof event.message, string>>();
  }
};

export async function server(client: ExperimentalHostClient<typeof contract, typeof signals>): Promise<void> {
  const options: ExperimentalHostCallOptions = { hostId: "host_1" };
  expectType<Equal<Awaited<ReturnType<typeof client.call<"size">>>, number>>();
  await client.call("size", { path: "/" }, options);
  client.experimental_onSignal("low", (event: ExperimentalHostSignalEvent<{ bytes: number }>) => event.hostId);
}

export type Unused = [ExperimentalHostRpcContext, ExperimentalHostSignalContract, ExperimentalHostWatchOptions];
