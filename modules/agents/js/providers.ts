import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { readDeclaration, type Declaration } from "./provider_declaration";

const kMember = "providers.register";

/** `svc.providers`. Registration "providers" is the list of declarations, which the host compares with those of others. */
export default function providersPart(runtime: HostRuntime, api: PluginApi): void {
  const providers = new Map<string, Declaration>();

  function announce(): void {
    api.setRegistration("providers", [...providers.values()]);
  }

  function register(value: unknown): { dispose(): void } {
    const declaration = readDeclaration(api, kMember, value);
    if (providers.has(declaration.id)) {
      api.fail(kMember, `duplicate name "${declaration.id}"`);
    }
    const refusal = runtime.callSync("providers.refusal", declaration.id);
    if (refusal !== undefined && refusal !== "") {
      api.fail(kMember, refusal);
    }
    providers.set(declaration.id, declaration);
    announce();
    return {
      dispose: api.guard(`${kMember}(…).dispose`, () => {
        if (providers.get(declaration.id) === declaration && providers.delete(declaration.id)) {
          announce();
        }
      }),
    };
  }

  api.svc.providers = { register: api.guard(kMember, register) };
}
