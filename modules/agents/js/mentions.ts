import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkName, checkObject, checkText, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { messageOf } from "../../plugins/js/policy/thrown";
import { extend } from "../../plugins/js/namespace";

interface Provider {
  readonly id: string;
  readonly label: string;
  readonly triggers: string[];
  readonly search: (query: object) => unknown;
  readonly resolve: (itemId: string) => unknown;
  /** `this` of both. */
  readonly owner: object;
}

interface Item {
  itemId: string;
  title: string;
  subtitle: string | null;
  icon: string | null;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;

const kMember = "ui.registerMentionProvider";
const kTriggers = ["@", "#", "$", "!", "~"];
/** lim.mentionItems, lim.mentionImages. */
const kMentionItems = 50;
const kMentionImages = 50;

/**
 * `svc.ui.registerMentionProvider`. Registration "mention-providers" is what the contributions show; the host's functions
 * are "mentions.search" (meta: the provider's id, body: the query; answer: the items) and "mentions.resolve" (body: the item's id
 * as JSON; answer: what the message gets).
 */
export default function mentionsPart(runtime: HostRuntime, api: PluginApi): void {
  const providers = new Map<string, Provider>();

  function readTriggers(value: unknown, what: string): string[] {
    if (value === undefined) {
      return ["@"];
    }
    if (!Array.isArray(value) || value.length === 0) {
      api.fail(kMember, `triggers of ${what} must be an array with at least one of ${kTriggers.join(" ")}`);
    }
    const triggers = value as unknown[];
    const stranger = triggers.find((trigger) => !kTriggers.includes(trigger as string));
    if (stranger !== undefined) {
      api.fail(kMember, `triggers of ${what} has ${stringify(stranger)}, which is not one of ${kTriggers.join(" ")}`);
    }
    return [...new Set(triggers as string[])];
  }

  function register(value: unknown): void {
    const given = checkObject(api.fail, kMember, value, "the provider");
    const id = checkName(api.fail, kMember, given.id, "the id");
    if (providers.has(id)) {
      api.fail(kMember, `duplicate name "${id}"`);
    }
    const what = `provider "${id}"`;
    const provider: Provider = {
      id,
      label: checkText(api.fail, kMember, given.label, `label of ${what}`),
      triggers: readTriggers(given.triggers, what),
      search: checkFunction(api.fail, kMember, given.search, `search of ${what}`) as unknown as Provider["search"],
      resolve: checkFunction(api.fail, kMember, given.resolve, `resolve of ${what}`) as unknown as Provider["resolve"],
      owner: given,
    };
    ignoreUnknownFields(api.problem, kMember, given, ["id", "label", "triggers", "search", "resolve"], what);
    providers.set(id, provider);
    api.setRegistration("mention-providers", () => [...providers.values()].map(({ id, label, triggers }) => ({ id, label, triggers })));
  }

  function failed(provider: Provider, action: string, reason: string, cause?: unknown): Error {
    return runtime.error("handler_error", `${action} of mention provider "${provider.id}" failed: ${reason}`, {
      cause: cause ?? new Error(reason),
    });
  }

  async function ask(provider: Provider, action: "search" | "resolve", argument: unknown): Promise<unknown> {
    try {
      return await (provider[action] as (argument: unknown) => unknown).call(provider.owner, argument);
    } catch (thrown) {
      throw failed(provider, action, messageOf(thrown), thrown);
    }
  }

  function readItem(provider: Provider, value: unknown, index: number): Item {
    const { id, title, subtitle, icon } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    if (typeof id !== "string" || id === "" || typeof title !== "string") {
      throw failed(provider, "search", `item ${index} is not { id, title, subtitle?, icon? }`);
    }
    return { itemId: id, title, subtitle: typeof subtitle === "string" ? subtitle : null, icon: typeof icon === "string" ? icon : null };
  }

  async function search(provider: Provider, body: string, call: HostCall): Promise<string> {
    const query = Object.defineProperty(parse(body) as object, "signal", { get: () => call.signal, enumerable: false });
    const found = await ask(provider, "search", query);
    if (!Array.isArray(found)) {
      throw failed(provider, "search", `it returned ${kindOf(found)}, expected an array of items`);
    }
    return stringify(found.slice(0, kMentionItems).map((item, index) => readItem(provider, item, index)));
  }

  function readImages(provider: Provider, images: unknown): unknown[] {
    if (images === undefined) {
      return [];
    }
    if (!Array.isArray(images)) {
      throw failed(provider, "resolve", `experimental_images is ${kindOf(images)}, expected an array`);
    }
    return images.slice(0, kMentionImages).map((image, index) => {
      const { type, url, path, context } = (typeof image === "object" && image !== null ? image : {}) as Record<string, unknown>;
      const text = typeof context === "string" ? context : undefined;
      if (type === "image" && typeof url === "string") {
        return { type, url, context: text };
      }
      if (type === "localImage" && typeof path === "string") {
        return { type, path, context: text };
      }
      throw failed(provider, "resolve", `experimental_images[${index}] is neither an image with url nor a localImage with path`);
    });
  }

  async function resolve(provider: Provider, body: string): Promise<string> {
    const answer = await ask(provider, "resolve", parse(body));
    const { context, experimental_images } = (typeof answer === "object" && answer !== null ? answer : {}) as Record<string, unknown>;
    if (typeof context !== "string") {
      throw failed(provider, "resolve", "it returned no { context } text");
    }
    return stringify({ context, images: readImages(provider, experimental_images) });
  }

  function providerOf(id: string): Provider {
    const provider = providers.get(id);
    if (provider === undefined) {
      throw runtime.error("not_found", `plugin "${api.pluginId}" has no mention provider "${id}"`);
    }
    return provider;
  }

  runtime.handle("mentions.search", (id, body, call) => search(providerOf(id), body, call));
  runtime.handle("mentions.resolve", (id, body) => resolve(providerOf(id), body));

  extend(api, "ui", { registerMentionProvider: api.guard(kMember, register) });
}
