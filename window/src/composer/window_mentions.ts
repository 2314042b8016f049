import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { MentionResource } from "#sdk/records.js";
import type { PluginComposerScope } from "#sdk/app/composer.js";

import type { PathEntry } from "@/api/files";
import { api } from "@/api/http";
import { kPersonalProjectId } from "@/api/projects";
import { queryClient, useSystemConfig } from "@/api/queries";
import { useThread } from "@/api/threads";
import { threadName } from "@/sdk_app/thread_records";
import { useThreadLists } from "@/sdk_app/threads_data";
import type { MentionQuery } from "./mention_query";
import type { MentionOption } from "./use_mentions";

const kFreshMs = 10_000;
/** Of each kind: more than a popup shows at once helps nobody. */
const kPerKind = 6;

export interface MentionOptions {
  readonly label: string;
  readonly options: readonly MentionOption[];
}

interface Command {
  name: string;
  description: string | null;
  argumentHint: string | null;
  source: "command" | "skill";
  origin: "builtin" | "project" | "user";
}

/** What the window itself offers beside plugins: nothing where the service has no threads. */
export const kWindowTriggers = ["@", "/"] as const;

export function useHasWindowMentions(): boolean {
  return useSystemConfig().data?.records.includes("threads") === true;
}

const option = (
  providerId: string,
  itemId: string,
  title: string,
  icon: string,
  resource: MentionResource,
  subtitle: string | null = null,
) => ({
  providerId,
  itemId,
  title,
  subtitle,
  icon,
  pluginId: "",
  resource,
});

const matches = (name: string, query: string) => name.toLowerCase().includes(query.toLowerCase());

function useThreadOptions(query: string | null, ownThreadId: string | null): MentionOption[] {
  const { threads } = useThreadLists();
  return query === null
    ? []
    : threads
        .filter((thread) => thread.id !== ownThreadId && !thread.isArchived && matches(threadName(thread), query))
        .sort((a, b) => b.latestAttentionAt - a.latestAttentionAt)
        .slice(0, kPerKind)
        .map((thread) => {
          const label = threadName(thread);
          return option("thread", thread.id, label, "message-square", {
            kind: "thread",
            threadId: thread.id,
            label,
            projectId: thread.projectId,
          });
        });
}

function useProjectOptions(query: string | null): MentionOption[] {
  const { projects } = useThreadLists();
  return query === null
    ? []
    : projects
        .filter(({ name, isPersonal }) => !isPersonal && matches(name, query))
        .slice(0, kPerKind)
        .map(({ id, name }) => option("project", id, name, "folder-kanban", { kind: "project", projectId: id, label: name }));
}

function usePathOptions(query: string | null, root: string | null): MentionOption[] {
  const { data } = useQuery(
    {
      queryKey: ["mention-paths", root, query],
      queryFn: async ({ signal }) =>
        (
          await api<{ paths: PathEntry[] }>("GET", `${root}/paths`, {
            query: { query: query!, limit: kPerKind, includeFiles: true, includeDirectories: true },
            signal,
          })
        ).paths,
      enabled: root !== null && query !== null && query !== "",
      staleTime: kFreshMs,
      placeholderData: keepPreviousData,
      retry: false,
    },
    queryClient,
  );
  return root === null || query === null || query === ""
    ? []
    : (data ?? []).map(({ kind, name, path }) =>
        option(
          "path",
          path,
          name,
          kind === "directory" ? "folder" : "file",
          { kind: "path", source: "workspace", entryKind: kind, path, label: path },
          path,
        ),
      );
}

/** How well a command fits what is typed: by the beginning of its name, by its name, by what it does; null for not at all. */
function commandRank({ name, description }: Command, query: string): number | null {
  if (name.toLowerCase().startsWith(query.toLowerCase())) {
    return 0;
  }
  return matches(name, query) ? 1 : description !== null && matches(description, query) ? 2 : null;
}

function useCommandOptions(query: string | null, projectId: string, environmentId: string | null, providerId: string): MentionOption[] {
  const { data } = useQuery(
    {
      queryKey: ["mention-commands", projectId, environmentId, providerId],
      queryFn: async ({ signal }) =>
        (
          await api<{ commands: Command[] }>("GET", `/projects/${encodeURIComponent(projectId)}/commands`, {
            query: { provider: providerId, ...(environmentId === null ? {} : { environmentId }) },
            signal,
          })
        ).commands,
      enabled: query !== null && providerId !== "",
      staleTime: kFreshMs,
      retry: false,
    },
    queryClient,
  );
  return query === null
    ? []
    : (data ?? [])
        .map((command) => ({ ...command, rank: commandRank(command, query) }))
        .filter(({ rank }) => rank !== null)
        .sort((a, b) => a.rank! - b.rank!)
        .map(({ name, description, argumentHint, source, origin }) =>
          option(
            "command",
            name,
            `/${name}`,
            source === "skill" ? "graduation-cap" : "square-slash",
            { kind: "command", trigger: "/", name, source, origin, label: name, argumentHint },
            [argumentHint, description].filter(Boolean).join(" – ") || null,
          ),
        );
}

/** Threads, projects and files for `@`, commands and skills of the agent for `/` at the beginning of a message. */
export function useWindowMentions(
  query: MentionQuery | null,
  asked: string,
  scope: PluginComposerScope,
  providerId: string | undefined,
): readonly MentionOptions[] {
  const isOffered = useHasWindowMentions();
  const threadId = scope.kind === "new-thread" ? null : scope.threadId;
  // The page that shows the thread has it already.
  const thread = useThread(threadId ?? "", { enabled: false }).data;
  const projectId = scope.projectId ?? kPersonalProjectId;
  const word = isOffered && query?.trigger === "@" ? asked : null;
  const environmentId = thread?.environmentId ?? null;
  const root =
    environmentId !== null
      ? `/environments/${encodeURIComponent(environmentId)}`
      : projectId === kPersonalProjectId
        ? null
        : `/projects/${encodeURIComponent(projectId)}`;
  const threads = useThreadOptions(word, threadId);
  const projects = useProjectOptions(word);
  const files = usePathOptions(word, root);
  const commands = useCommandOptions(
    isOffered && query?.trigger === "/" && query.start === 0 ? query.query : null,
    projectId,
    environmentId,
    thread?.providerId ?? providerId ?? "",
  );
  const groups = [
    { label: "Commands", options: commands },
    { label: "Files", options: files },
    { label: "Threads", options: threads },
    { label: "Projects", options: projects },
  ].filter(({ options }) => options.length > 0);
  // The lists are made anew with each render; what is chosen among them must not jump for that.
  const key = JSON.stringify(groups.map(({ label, options }) => [label, options.map(({ itemId, title }) => [itemId, title])]));
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says what is in the groups
  return useMemo(() => groups, [key]);
}
