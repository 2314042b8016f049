/** `svc.sdk` without a service: every call is noted and answered by a stub, or by a fake that needs none. */
import { notSupportedError } from "../../modules/sdkclient/js/call";
import { reasonOf } from "../../modules/sdkclient/js/reason";
import { takeTextForms } from "../../modules/sdkclient/js/request";
import type { SdkCarrier } from "../../modules/sdkclient/js/sdk";
import type { Shared } from "./shared";

export function sdkCarrier({ sdkCalls, sdkStubs, files, terminals }: Shared): SdkCarrier {
  /** What the fakes answer that are there without a stub. */
  function fake(path: string, argument: unknown): unknown {
    const [area, method] = path.split(".") as [string, string];
    const members = { ...(argument as Record<string, unknown> | undefined) };
    takeTextForms(members);
    return area === "files" ? files.answer(method, members) : area === "terminals" ? terminals.answer(method, members) : undefined;
  }

  function note(path: string, argument: unknown): void {
    sdkCalls.push({ path, args: argument === undefined ? [] : [argument] });
  }

  async function answer(path: string, argument: unknown): Promise<unknown> {
    const stub = sdkStubs.get(path);
    if (stub === undefined) {
      const faked = fake(path, argument);
      if (faked !== undefined) {
        return faked;
      }
      throw new Error(`svc.sdk.${path} is not stubbed`);
    }
    return argument === undefined ? stub() : stub(argument);
  }

  /** The answer, or why the signal aborts before it is there. */
  function answerUntil(path: string, argument: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    note(path, argument);
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(reasonOf(signal, path));
      if (signal?.aborted === true) {
        return leave();
      }
      signal?.addEventListener("abort", leave, { once: true });
      answer(path, argument)
        .finally(() => signal?.removeEventListener("abort", leave))
        .then(resolve, reject);
    });
  }

  return {
    call: ({ path, argument, request: { signal } }) => answerUntil(path, argument, signal),
    compose: (path, argument, _run, signal) => answerUntil(path, argument, signal),
    missing(path, argument, why) {
      note(path, argument);
      return sdkStubs.has(path) ? answer(path, argument) : Promise.reject(notSupportedError(path, why));
    },
    subscribe(options, real) {
      note("subscribe", options);
      return (sdkStubs.get("subscribe") as typeof real | undefined)?.(options) ?? real(options);
    },
  };
}
