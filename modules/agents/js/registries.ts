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
  /** Members besides `register`. `accepts` does nothing, `rejects` has a value to give and cannot. */
  accepts?: string[];
  rejects?: string[];
}

const kRegistries: Record<string, Registry> = {
  experimental_environments: {
    texts: ["displayName", "description", "icon"],
    functions: ["create", "remove"],
    optionalFunctions: ["availability", "validate", "restore"],
    accepts: ["recheck"],
  },
  experimental_machines: {
    texts: ["displayName", "description", "icon"],
    functions: ["create", "remove"],
    optionalFunctions: ["suspend", "resume", "reconcileCleanup"],
    pairs: [["suspend", "resume"]],
    rejects: ["bootstrap", "getResource"],
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
};

/** Registries that are accepted, listed in `unsupported[]` and not used. */
export default function registriesPart(_runtime: HostRuntime, api: PluginApi): void {
  const machineProviders: unknown[] = [];

  /** Machine providers are listed by name (registration "machine-providers"), though nobody runs them. */
  function list(given: Record<string, unknown>): void {
    const { id, displayName, description, icon } = given;
    machineProviders.push({ id, displayName, description, icon, canSuspend: given.suspend !== undefined });
    api.setRegistration("machine-providers", [...machineProviders]);
  }

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
    if (registry === kRegistries.experimental_machines) {
      list(given);
    }
  }

  for (const [namespace, registry] of Object.entries(kRegistries)) {
    const names = new Set<string>();
    const member = `${namespace}.register`;
    const members: Record<string, unknown> = {
      register: api.guard(member, (value: unknown) => {
        check(member, registry, names, value);
        api.unsupported(member);
      }),
    };
    for (const name of registry.accepts ?? []) {
      members[name] = api.guard(`${namespace}.${name}`, () => api.unsupported(`${namespace}.${name}`));
    }
    for (const name of registry.rejects ?? []) {
      members[name] = api.guard(`${namespace}.${name}`, async () => {
        throw notSupported(`svc.${namespace}.${name}`);
      });
    }
    api.svc[namespace] = members;
  }
}
