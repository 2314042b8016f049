import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkName, checkObject, checkText } from "../../plugins/js/policy/arguments";
import { notSupported } from "../../plugins/js/policy/thrown";

interface Registry {
  texts: string[];
  functions: string[];
  optionalFunctions: string[];
  /** Given both or neither. */
  pairs?: [string, string][];
}

const kRegistries = {
  experimental_environments: {
    texts: ["displayName", "description", "icon"],
    functions: ["create", "remove"],
    optionalFunctions: ["availability", "validate", "restore"],
  },
  experimental_machines: {
    texts: ["displayName", "description", "icon"],
    functions: ["create", "remove"],
    optionalFunctions: ["suspend", "resume", "reconcileCleanup"],
    pairs: [["suspend", "resume"]],
  },
  experimental_serverAccess: {
    texts: ["displayName", "description"],
    functions: ["availability", "acquire", "release"],
    optionalFunctions: [],
  },
  experimental_aiServices: {
    texts: ["displayName"],
    functions: [],
    optionalFunctions: ["complete", "transcribe", "status"],
  },
} satisfies Record<string, Registry>;

/** Registries that are accepted, listed in `unsupported[]` and not used. */
export default function registriesPart(_runtime: HostRuntime, api: PluginApi): void {
  function check(member: string, registry: Registry, names: Set<string>, value: unknown): void {
    const given = checkObject(api.fail, member, value, "the registration");
    const id = checkName(api.fail, member, given.id, "the id");
    if (names.has(id)) {
      api.fail(member, `duplicate name "${id}"`);
    }
    registry.texts.forEach((key) => checkText(api.fail, member, given[key], `${key} of "${id}"`));
    registry.functions.forEach((key) => checkFunction(api.fail, member, given[key], `${key} of "${id}"`));
    registry.optionalFunctions
      .filter((key) => given[key] !== undefined)
      .forEach((key) => checkFunction(api.fail, member, given[key], `${key} of "${id}"`));
    for (const [one, other] of registry.pairs ?? []) {
      if ((given[one] === undefined) !== (given[other] === undefined)) {
        api.fail(member, `"${id}" needs both ${one} and ${other}, or neither`);
      }
    }
    names.add(id);
  }

  function register(namespace: keyof typeof kRegistries): (registration: unknown) => void {
    const names = new Set<string>();
    const member = `${namespace}.register`;
    return api.guard(member, (value: unknown) => {
      check(member, kRegistries[namespace], names, value);
      api.unsupported(member);
    });
  }
  /** Does nothing. */
  const accepts = (member: string) => api.guard(member, () => api.unsupported(member));
  /** Has a value to give, and cannot. */
  const rejects = (member: string) =>
    api.guard(member, async (): Promise<never> => {
      throw notSupported(`svc.${member}`);
    });

  api.svc.experimental_environments = {
    register: register("experimental_environments"),
    recheck: accepts("experimental_environments.recheck"),
  };
  api.svc.experimental_machines = {
    register: register("experimental_machines"),
    bootstrap: rejects("experimental_machines.bootstrap"),
    getResource: rejects("experimental_machines.getResource"),
  };
  api.svc.experimental_serverAccess = { register: register("experimental_serverAccess") };
  api.svc.experimental_aiServices = { register: register("experimental_aiServices") };
}
