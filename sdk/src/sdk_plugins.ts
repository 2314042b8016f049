import type { JsonInput, JsonValue } from "./json.js";
import type { PluginRecord, PluginUpdateCheck } from "./record.js";
import type { Call, Ok, OptionalCall, SdkCallOptions } from "./sdk_calls.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

/** `pluginId` where it is optional: default this plugin. */
export interface SdkPlugins {
  /**
   * Calls an RPC method of a plugin; its handler sees this plugin as the caller. The result is checked by `outputSchema`
   * when given.
   */
  callRpc<Schema extends StandardSchemaV1>(
    argument: { pluginId: string; method: string; input?: JsonInput; outputSchema: Schema } & SdkCallOptions,
  ): Promise<StandardSchemaV1.InferOutput<Schema>>;
  callRpc(argument: { pluginId: string; method: string; input?: JsonInput } & SdkCallOptions): Promise<JsonValue>;
  /** Null unsets. */
  updateSettings: Call<
    { pluginId?: string; values: { [key: string]: JsonInput } },
    Ok & { schema: JsonValue; values: { [key: string]: JsonValue } }
  >;
  getSettings: OptionalCall<{ pluginId?: string }, Ok & { schema: JsonValue; values: { [key: string]: JsonValue } }>;
  list: OptionalCall<{}, Ok & { plugins: PluginRecord[] }>;
  /** The record carries its status: installed is not running. */
  install: Call<
    {
      source: string;
      /** Which plugin of a repository. */
      selection?: { kind: "root" } | { kind: "subdirectory"; path: string } | { kind: "entry"; name: string };
      /** Older form of a selection. */
      subdirectory?: string;
      /** Older form of a selection: an entry. */
      plugin?: string;
      /** Up to 128 characters. */
      tagPrefix?: string;
    },
    PluginRecord
  >;
  remove: Call<{ pluginId: string; purge?: boolean }, Ok & { removed: string; kept: string[] }>;
  enable: Call<{ pluginId: string }, PluginRecord>;
  disable: Call<{ pluginId: string }, PluginRecord>;
  /** Without `pluginId` every enabled plugin. */
  reload: OptionalCall<{ pluginId?: string }, Ok & { plugins: PluginRecord[] }>;
  /** 64 hexadecimal characters; made at the first call. */
  token: OptionalCall<{ pluginId?: string; rotate?: boolean }, Ok & { token: string }>;
  getSource: OptionalCall<{ pluginId?: string }, PluginSourceDetail>;
  /** Asks the sources; without an id those of every plugin. `id` is the same as `pluginId`. */
  checkUpdates: OptionalCall<{ pluginId?: string; id?: string }, PluginUpdateCheck[]>;
  /** The last results, without asking anybody. */
  listUpdateResults: OptionalCall<{}, PluginUpdateCheck[]>;
  applyUpdate: Call<
    { pluginId: string },
    Ok & {
      applied: boolean;
      from: string;
      to?: string;
      outcome: "current" | "updated" | "rolled-back";
      detail?: string;
    }
  >;
  readonly catalog: {
    search: OptionalCall<{ query?: string }, PluginCatalogEntry[]>;
    status: OptionalCall<{}, { pluginCount: number; includedPluginCount: number; optionalPluginCount: number }>;
    installPlan: Call<{ entryId: string; marketplace?: string }, PluginInstallPlan>;
    /** `confirmedSource`: the resolved source the user saw; an install that would take another one is refused. */
    install: Call<{ entryId: string; marketplace?: string; confirmedSource?: JsonInput }, PluginRecord>;
  };
  readonly marketplaces: {
    add: Call<{ source: string }, Marketplace>;
    list: OptionalCall<{}, Marketplace[]>;
    /** Without `name` all of them; one that fails says so and does not fail the call. */
    refresh: OptionalCall<{ name?: string }, MarketplaceRefresh[]>;
    /** The plugins that came from it stay. */
    remove: Call<{ name: string }, Ok & { convertedPluginIds: string[] }>;
  };
}

/** Where an installed plugin came from. */
export interface PluginSourceDetail {
  requested: string;
  resolved: string;
  subdirectory?: string;
  range?: string;
  tagPrefix?: string;
  resolvedTag?: string;
  integrity?: string;
  registry?: string;
  /** What its manifest asks for; null is any. */
  engines: { svc: string | null; svcPluginSdk: string | null };
  /** Epoch milliseconds, as `at` in `history`. */
  installedAt: number;
  /** Up to 10. */
  history: { version: string; resolved: string; at: number }[];
}

/** A list of plugins that the user has added. Times are epoch milliseconds. */
export interface Marketplace {
  name: string;
  displayName: string;
  description: string | null;
  source: string;
  /** `builtin`: comes with the service, and stays. */
  sourceKind: "https" | "git" | "path" | "builtin";
  entryCount: number;
  official: false;
  /** Of a git marketplace. */
  resolvedCommit: string | null;
  /** The last refresh that worked; null before it. */
  lastRefreshAt: number | null;
  /** The last refresh, whether or not it worked; null before the first. */
  lastAttemptAt: number | null;
  /** Why the last refresh failed; null when it did not. */
  lastError: string | null;
}

/** How a refresh went; one that failed leaves the last good copy. */
export interface MarketplaceRefresh {
  name: string;
  ok: boolean;
  /** For people; null when `ok`. */
  error: string | null;
  /** Null when it was removed meanwhile. */
  marketplace: Marketplace | null;
}

/** A plugin that a marketplace, or the service itself, offers. */
export interface PluginCatalogEntry {
  entryId: string;
  pluginId: string;
  marketplace: string;
  marketplaceDisplayName: string;
  displayName: string;
  description: string;
  category: string | null;
  author: { name: string; url: string | null } | null;
  icon: string | null;
  iconUrl: string | null;
  source: JsonValue;
  /** Where this server shows its sources, relative to its address; null for what does not come with the service. */
  sourcePage: string | null;
  installed: boolean;
  compatible: boolean;
  /** Null while `compatible`. */
  incompatibleReason: string | null;
  official: boolean;
  publisherKey: string;
  publisherLabel: string;
}

/** What `catalog.install` would install: the entry with the source it leads to now, which goes back as `confirmedSource`. */
export type PluginInstallPlan = PluginCatalogEntry & { kind: "bundled" | "marketplace"; resolvedSource: JsonValue };
