import { useQuery } from "@tanstack/react-query";

import type { PluginUpdateCheck, PluginUsage } from "#sdk/record.js";
import type { Marketplace as SdkMarketplace, PluginSourceDetail } from "#sdk/sdk_plugins.js";

import { api } from "@/api/http";
import { queryKeys } from "@/api/queries";
import type { PluginRecord } from "@/api/records";

import type { LogReply } from "@/pages/logs/log_model";

import type { RollbackTarget } from "./actions";
import { machineLines } from "./host_model";
import { type InstallJob, isActiveJob, type PackageAbout } from "./install_model";
import { type RpcMethod, rpcPath } from "./rpc_model";

/** How often a running install is asked about, in milliseconds. */
export const kJobPoll = 700;

/** A listed plugin of a marketplace. */
export interface CatalogEntry {
  entryId: string;
  /** Of the plugin that is installed from it; otherwise what the list calls it. */
  pluginId: string;
  marketplace: string;
  displayName: string;
  description: string;
  icon: string | null;
  tags: string[];
  author: { name: string; url: string | null };
  source: string;
  /** Where this server shows its sources, as seen from the base of the page; null for most. */
  sourcePage: string | null;
  installed: boolean;
  /** As far as the list says; a preview asks the package itself. */
  compatible: boolean;
  incompatibleReason: string | null;
}

/** A marketplace with what its file has besides plugins that can be used. */
export interface Marketplace extends SdkMarketplace {
  /** Entries that cannot be used. */
  dropped: { id: string; reason: string }[];
}

/** The record of one plugin also has its PLUGIN_OVERVIEW.md, which the list does not. */
export function overviewOf(record: PluginRecord): string | null {
  return (record as PluginRecord & { overview?: string | null }).overview ?? null;
}

/** Below `plugins`: fetched again when plugins change. */
export const keys = {
  jobs: ["plugins", "install-jobs"] as const,
  catalog: (query: string) => ["plugins", "catalog", query] as const,
  marketplaces: ["plugins", "marketplaces"] as const,
  /** Not below `plugins`: what is installed changes nothing of it. */
  about: (source: string) => ["plugin-about", source] as const,
  updates: ["plugins", "updates"] as const,
  rollback: (id: string) => ["plugins", "rollback", id] as const,
  tools: (id: string) => ["plugins", "tools", id] as const,
  methods: (id: string) => ["plugins", "methods", id] as const,
  host: (id: string) => ["plugins", "host", id] as const,
  hostLines: (id: string) => ["plugins", "host-lines", id] as const,
};

export async function fetchJobs(signal?: AbortSignal): Promise<InstallJob[]> {
  return (await api<{ jobs: InstallJob[] }>("GET", "/plugins/install-jobs", signal === undefined ? {} : { signal })).jobs;
}

/** Installs, newest first; ended ones stay for some minutes. Asks again while one runs. */
export function useInstallJobs() {
  return useQuery({
    queryKey: keys.jobs,
    queryFn: ({ signal }) => fetchJobs(signal),
    refetchInterval: ({ state }) => (state.data?.some(isActiveJob) ? kJobPoll : false),
    staleTime: 0,
  });
}

export function useCatalog(query: string) {
  return useQuery<CatalogEntry[]>({
    queryKey: keys.catalog(query),
    queryFn: async ({ signal }) =>
      (await api<{ results: CatalogEntry[] }>("GET", "/plugin-catalog/search", { query: { q: query }, signal })).results,
    placeholderData: (previous) => previous,
  });
}

export function useMarketplaces() {
  return useQuery({
    queryKey: keys.marketplaces,
    queryFn: async ({ signal }) => (await api<{ marketplaces: Marketplace[] }>("GET", "/marketplaces", { signal })).marketplaces,
  });
}

/** What a source holds. A package that is far away is downloaded for it, which takes as long as it takes. */
export function usePackageAbout(source: string) {
  return useQuery({
    queryKey: keys.about(source),
    queryFn: async ({ signal }) =>
      (await api<{ about: PackageAbout }>("POST", "/plugins/install/about", { body: { source }, timeoutMs: 0, signal })).about,
    staleTime: Infinity,
    retry: false,
  });
}

export function useSource(id: string) {
  return useQuery({
    queryKey: queryKeys.pluginSource(id),
    queryFn: async ({ signal }) =>
      (await api<{ source: PluginSourceDetail }>("GET", `/plugins/${encodeURIComponent(id)}/source`, { signal })).source,
  });
}

/** The last update checks; they outlive a restart of the service. */
export function useUpdateChecks() {
  return useQuery({
    queryKey: keys.updates,
    queryFn: async ({ signal }) => (await api<{ results: PluginUpdateCheck[] }>("GET", "/plugins/updates", { signal })).results,
  });
}

/** The version before the last update, while the service can still return to it; null when there is none. */
export function useRollbackTarget(id: string, isManaged: boolean) {
  return useQuery({
    queryKey: keys.rollback(id),
    queryFn: async ({ signal }) =>
      (await api<{ rollback: RollbackTarget | null }>("GET", `/plugins/${encodeURIComponent(id)}/rollback`, { signal })).rollback,
    enabled: isManaged,
  });
}

/** A tool for agents, as `GET /plugins/:id/tools` lists it. */
export interface PluginTool {
  pluginId: string;
  name: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
  /** False when another plugin, the holder, has the name. */
  offered: boolean;
  holder: string;
  calls: number;
  errors: number;
  totalMs: number;
}

export function usePluginTools(id: string, isShown: boolean) {
  return useQuery({
    queryKey: keys.tools(id),
    queryFn: async ({ signal }) =>
      (await api<{ tools: PluginTool[] }>("GET", `/plugins/${encodeURIComponent(id)}/tools`, { signal })).tools,
    enabled: isShown,
  });
}

export interface ToolOutcome {
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  isError: boolean;
  durationMs: number;
}

interface ToolCall {
  readonly pluginId: string;
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** The tool asks something: the id of the form. */
  onForm(this: void, id: string): void;
}

/** Runs as long as the tool does; `signal` ends it. */
export function callTool({ pluginId, name, input, signal, onForm }: ToolCall): Promise<ToolOutcome> {
  const path = `/plugins/${encodeURIComponent(pluginId)}/tools/${encodeURIComponent(name)}`;
  const onLine = ({ formId }: Record<string, unknown>) => typeof formId === "string" && onForm(formId);
  return api<ToolOutcome>("POST", path, { body: input, query: { forms: true }, signal, timeoutMs: 0, onLine });
}

/** All methods, also those that the plugin does not publish. */
export function usePluginMethods(id: string, isShown: boolean) {
  return useQuery({
    queryKey: keys.methods(id),
    queryFn: async ({ signal }) =>
      (await api<{ methods: RpcMethod[] }>("GET", "/plugins/rpc", { query: { pluginId: id, all: true }, signal })).methods.sort(
        (left, right) => (left.method < right.method ? -1 : 1),
      ),
    enabled: isShown,
  });
}

interface MethodInput {
  readonly pluginId: string;
  readonly method: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** Runs as long as the method does; `signal` ends it. */
export async function callMethod({ pluginId, method, input, signal }: MethodInput): Promise<unknown> {
  return (await api<{ result: unknown }>("POST", rpcPath(pluginId, method), { body: input, signal, timeoutMs: 0 })).result;
}

/** The built host entry of the loaded generation, as `GET /plugins/:id/host` answers. */
export interface HostArtifact {
  /** SHA-256, hex. */
  digest: string;
  byteLength: number;
  /** Null when its metadata does not say. */
  sdkVersion: string | null;
}

/** What of a plugin machines run; null while nothing is loaded that has a host entry. */
export function useHostArtifact(id: string) {
  return useQuery({
    queryKey: keys.host(id),
    queryFn: async ({ signal }) =>
      (await api<{ host: { artifact: HostArtifact } | null }>("GET", `/plugins/${encodeURIComponent(id)}/host`, { signal })).host
        ?.artifact ?? null,
  });
}

/** How many of the newest log lines are looked through for what machines wrote. */
const kHostLines = 500;
/** Milliseconds. */
const kMachineLinesPoll = 5000;

/** What the plugin's host entry wrote on machines lately, by machine. */
export function useMachineLines(id: string, isShown: boolean) {
  return useQuery({
    queryKey: keys.hostLines(id),
    queryFn: async ({ signal }) => {
      const { lines } = await api<LogReply>("GET", `/plugins/${encodeURIComponent(id)}/logs`, { query: { tail: kHostLines }, signal });
      return machineLines(lines);
    },
    enabled: isShown,
    // A line of another machine comes when it comes: nothing tells of it.
    refetchInterval: kMachineLinesPoll,
  });
}

export async function fetchUsage(signal: AbortSignal): Promise<PluginUsage[]> {
  return (await api<{ plugins: PluginUsage[] }>("GET", "/plugins/top", { signal })).plugins;
}
