import type { NewThreadComposerProps } from "#sdk/app/components.js";
import type { Environment, EnvironmentIntent, PermissionMode } from "#sdk/records.js";

import { listEnvironmentsQuery } from "@/api/environments";
import { hostsQuery, type Host } from "@/api/hosts";
import { kPersonalProjectId, type Project, projectsQuery } from "@/api/projects";
import { hasRecords, queryClient } from "@/api/queries";

/** What a new thread starts from where the user chose nothing. */
export type NewThreadSeeds = Pick<
  NewThreadComposerProps,
  | "projectId"
  | "defaultProjectId"
  | "defaultProviderId"
  | "defaultModel"
  | "defaultReasoningLevel"
  | "defaultServiceTier"
  | "defaultPermissionMode"
  | "defaultEnvironment"
>;

export const projectOf = ({ defaultProjectId, projectId }: NewThreadSeeds): string | null => defaultProjectId ?? projectId ?? null;

/** What there is to start a thread with; undefined while that is not known. */
export interface Known {
  readonly projects?: readonly Pick<Project, "id" | "sources">[] | undefined;
  readonly hosts?: readonly Pick<Host, "id">[] | undefined;
  /** Of the project that the seeds name. */
  readonly environments?: readonly Environment[] | undefined;
}

const kModes: readonly PermissionMode[] = ["accept-edits", "auto", "full"];

const isThere = (id: unknown, all: readonly { id: string }[] | undefined) => all === undefined || all.some((other) => other.id === id);

/** Whether threads can work in it, or will be able to soon. */
export function isUsable({ status, lifecycle }: Environment): boolean {
  return (status === "creating" || status === "provisioning" || status === "ready") && lifecycle.phase === "active";
}

function isPlace(given: EnvironmentIntent, projectId: string | null, { projects, hosts, environments }: Known): boolean {
  const isPersonal = projectId === null || projectId === kPersonalProjectId;
  // Plugins need not be checked by a compiler.
  const intent = (given ?? {}) as {
    type?: string;
    environmentId?: unknown;
    hostId?: string;
    workspace?: { type?: string; path?: unknown };
  };
  switch (intent.type) {
    case "project-default":
      return !isPersonal;
    case "reuse":
      return typeof intent.environmentId === "string" && isThere(intent.environmentId, environments?.filter(isUsable));
    case "host":
      break;
    default:
      return false;
  }
  const { hostId, workspace } = intent;
  if (hostId !== undefined && !isThere(hostId, hosts)) {
    return false;
  }
  if (workspace?.type === "personal" || (workspace?.type === "unmanaged" && typeof workspace.path === "string")) {
    return true;
  }
  // The others start from a folder of the project.
  const sources = projects?.find(({ id }) => id === projectId)?.sources;
  const hasFolder = !isPersonal && (hostId === undefined || sources === undefined || sources.some((source) => source.hostId === hostId));
  return hasFolder && (workspace?.type === "managed-worktree" || workspace?.type === "unmanaged");
}

/** The seeds without those that name what is not there, or that are no value at all. */
export function existingSeeds(seeds: NewThreadSeeds, known: Known): NewThreadSeeds {
  const { projectId: _older, defaultProjectId: _project, defaultEnvironment, defaultPermissionMode, ...others } = seeds;
  const asked = projectOf(seeds);
  const isGone = asked !== null && asked !== kPersonalProjectId && !isThere(asked, known.projects);
  const project = isGone ? null : asked;
  // A place belongs to its project.
  const hasPlace = !isGone && defaultEnvironment !== undefined && isPlace(defaultEnvironment, project, known);
  return {
    ...others,
    ...(project === null ? {} : { defaultProjectId: project }),
    ...(hasPlace ? { defaultEnvironment } : {}),
    ...(defaultPermissionMode !== undefined && kModes.includes(defaultPermissionMode) ? { defaultPermissionMode } : {}),
  };
}

/** Undefined where the service does not say: it then says itself what it does not take. */
async function ofService<T>(records: string, isAsked: boolean, fetched: () => Promise<T>): Promise<T | undefined> {
  try {
    return isAsked && (await hasRecords(records)) ? await fetched() : undefined;
  } catch {
    return undefined;
  }
}

/** The same with what the service has by now, for those who send before the pickers know it. */
export async function resolveSeeds(seeds: NewThreadSeeds): Promise<NewThreadSeeds> {
  const { type } = seeds.defaultEnvironment ?? {};
  const project = projectOf(seeds);
  const [projects, hosts, environments] = await Promise.all([
    ofService("projects", project !== null && project !== kPersonalProjectId, () => queryClient.ensureQueryData(projectsQuery)),
    ofService("hosts", type === "host", () => queryClient.ensureQueryData(hostsQuery)),
    ofService("environments", type === "reuse", () => queryClient.ensureQueryData(listEnvironmentsQuery(project ?? kPersonalProjectId))),
  ]);
  return existingSeeds(seeds, { projects, hosts, environments });
}
