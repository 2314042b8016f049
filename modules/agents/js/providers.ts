import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { extend } from "../../plugins/js/namespace";
import { readDeclaration, type Declaration } from "./provider_declaration";
import { reportUnlessServed } from "./served";

/** `svc.providers` and `svc.agents.experimental_registerProvider`, which is the same. Registration "providers" is the list of declarations, which the host compares with those of others. */
export default function providersPart(runtime: HostRuntime, api: PluginApi): void {
  const providers = new Map<string, Declaration>();

  function announce(): void {
    api.setRegistration("providers", () => [...providers.values()]);
  }

  function register(member: string, value: unknown): { dispose(): void } {
    const declaration = readDeclaration(api, member, value);
    if (providers.has(declaration.id)) {
      api.fail(member, `duplicate name "${declaration.id}"`);
    }
    const refusal = runtime.callSync("providers.refusal", declaration.id);
    if (refusal !== undefined && refusal !== "") {
      api.fail(member, refusal);
    }
    providers.set(declaration.id, declaration);
    reportUnlessServed(runtime, api, "providers.register");
    announce();
    return {
      dispose: api.guard(`${member}(…).dispose`, () => {
        if (providers.get(declaration.id) === declaration && providers.delete(declaration.id)) {
          announce();
        }
      }),
    };
  }

  const registerAs = (member: string) => api.guard(member, (value: unknown) => register(member, value));
  api.svc.providers = { register: registerAs("providers.register") };
  extend(api, "agents", { experimental_registerProvider: registerAs("agents.experimental_registerProvider") });
}
