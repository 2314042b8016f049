import { type ReactNode, useState } from "react";

import type { EnvironmentIntent, Environment, Provider } from "#sdk/records.js";

import { useEnvironments } from "@/api/environments";
import { hostsQuery, type Host } from "@/api/hosts";
import { kPersonalProjectId, type Project, useProjects } from "@/api/projects";
import { queryClient, useSystemConfig } from "@/api/queries";
import { Select, type SelectOption } from "@/ui/select";
import { useQuery } from "@tanstack/react-query";
import { BranchPicker } from "./branch_picker";
import { findModel, kDefaultPermissionMode, useAgents, useProjectDefaults, useProviderModels } from "./execution";
import { type Choice, forgetChoice, keepChoice, lastChoice, loadChoice, rememberChoice } from "./kept_choice";
import { ExecutionPickers } from "./pickers";
import { existingSeeds, isUsable, type NewThreadSeeds, projectOf } from "./seeds";

/** An environment as a choice: what it is called, and what is sent for it. */
interface EnvironmentOption {
  readonly label: string;
  readonly intent: EnvironmentIntent;
}

const kInPlace: EnvironmentOption = { label: "In the folder itself", intent: { type: "project-default" } };

const kPersonal: EnvironmentOption = { label: "In an empty folder", intent: { type: "host", workspace: { type: "personal" } } };

/** Where a thread of a project can work: in its folders, in a worktree of its own, or where other threads do. */
export function environmentOptions(
  project: Project | undefined,
  environments: readonly Environment[],
  hosts: readonly Pick<Host, "id" | "name">[],
): readonly EnvironmentOption[] {
  if (project === undefined) {
    return [];
  }
  const nameOf = (hostId: string) => hosts.find(({ id }) => id === hostId)?.name ?? hostId;
  const isAlone = project.sources.length < 2;
  const on = (hostId: string) => (isAlone ? "" : ` on ${nameOf(hostId)}`);
  return [
    kInPlace,
    ...project.sources
      .filter(({ isDefault }) => !isDefault)
      .map(({ hostId }): EnvironmentOption => ({
        label: `In the folder${on(hostId)}`,
        intent: { type: "host", hostId, workspace: { type: "unmanaged", path: null } },
      })),
    ...project.sources.map(({ hostId }): EnvironmentOption => ({
      label: `New worktree${on(hostId)}`,
      intent: worktree(hostId, null),
    })),
    ...environments
      .filter((environment) => environment.managed && environment.status === "ready" && isUsable(environment))
      .map(({ id, name, branchName }): EnvironmentOption => ({
        label: `With ${branchName ?? name ?? id}`,
        intent: { type: "reuse", environmentId: id },
      })),
  ];
}

/** What a place is called that only a seed names. */
function labelOf(intent: EnvironmentIntent, environments: readonly Environment[], hosts: readonly Pick<Host, "id" | "name">[]): string {
  if (intent.type === "project-default") {
    return kInPlace.label;
  }
  if (intent.type === "reuse") {
    const environment = environments.find(({ id }) => id === intent.environmentId);
    return `With ${environment?.branchName ?? environment?.name ?? intent.environmentId}`;
  }
  const { hostId, workspace } = intent;
  const on = hostId === undefined ? "" : ` on ${hosts.find(({ id }) => id === hostId)?.name ?? hostId}`;
  switch (workspace.type) {
    case "unmanaged":
      return `In ${workspace.path ?? "the folder"}${on}`;
    case "managed-worktree":
      return `New worktree${on}`;
    case "personal":
      return `In an empty folder${on}`;
  }
}

/** The places with that of a seed, so that what is sent can be seen. */
function withPlace(
  places: readonly EnvironmentOption[],
  seed: EnvironmentIntent | undefined,
  environments: readonly Environment[],
  hosts: readonly Pick<Host, "id" | "name">[],
): readonly EnvironmentOption[] {
  const all = places.length === 0 ? [kPersonal] : places;
  return seed === undefined || all.some(({ intent }) => samePlace(intent, seed))
    ? places
    : [...all, { label: labelOf(seed, environments, hosts), intent: seed }];
}

/** The machine and the branch of a worktree that is to be made; null for every other place. */
function worktreeOf(intent: EnvironmentIntent | undefined): { hostId: string; branch: string | null } | null {
  if (intent?.type !== "host" || intent.hostId === undefined || intent.workspace.type !== "managed-worktree") {
    return null;
  }
  const { baseBranch } = intent.workspace;
  const branch = typeof baseBranch === "string" ? baseBranch : baseBranch?.kind === "named" ? baseBranch.name : null;
  return { hostId: intent.hostId, branch };
}

const worktree = (hostId: string, branch: string | null): EnvironmentIntent => ({
  type: "host",
  hostId,
  workspace: { type: "managed-worktree", ...(branch === null ? {} : { baseBranch: { kind: "named", name: branch } }) },
});

/** The same place, whatever branch it starts from. */
function samePlace(a: EnvironmentIntent, b: EnvironmentIntent | undefined): boolean {
  const [first, second] = [worktreeOf(a), worktreeOf(b)];
  return first !== null && second !== null ? first.hostId === second.hostId : JSON.stringify(a) === JSON.stringify(b);
}

/** An agent that cannot be used now says why, where it is chosen. */
const agentOption = ({ id, displayName, available, unavailableReason }: Provider): SelectOption => ({
  value: id,
  label: available ? displayName : `${displayName} – ${unavailableReason ?? "not available"}`,
  disabled: !available,
});

export interface NewThreadChoice {
  /** Of the thread; null for none. */
  readonly projectId: string | null;
  /** The agent that it would have; empty while there is none. */
  readonly providerId: string;
  /** What was given, with what was chosen over it. */
  readonly seeds: NewThreadSeeds;
  /** To be called when the thread has been started. */
  sent(): void;
  /** Beside the button that sends. */
  readonly controls: ReactNode;
  /** Below the field. */
  readonly footer: ReactNode;
}

const kSeedNames = [
  "projectId",
  "defaultProjectId",
  "defaultProviderId",
  "defaultModel",
  "defaultReasoningLevel",
  "defaultServiceTier",
  "defaultPermissionMode",
  "defaultEnvironment",
] as const;

/** Choices belong to the draft: they are kept with it, and begin anew when one of the seeds becomes another one. */
function useChoice(seeds: NewThreadSeeds, draftKey: string): [Choice, (next: Choice) => void] {
  const key = JSON.stringify(kSeedNames.map((name) => seeds[name] ?? null));
  const [state, setState] = useState(() => ({ key, choice: loadChoice(draftKey, key) }));
  const current = state.key === key ? state : { key, choice: loadChoice(draftKey, key) };
  if (current !== state) {
    setState(current);
  }
  const change = (choice: Choice) => {
    keepChoice(draftKey, key, choice);
    setState({ key, choice });
  };
  return [current.choice, change];
}

const kNothing: Choice = {};

export interface NewThreadChoiceOptions {
  seeds: NewThreadSeeds;
  /** Of the composer that it belongs to. */
  draftKey: string;
  /** Whether a thread starts as the last one did, where neither the seeds nor the project say how. */
  remembers?: boolean;
}

/** What a new thread starts with, and the pickers that change it. Nothing is shown where the service has no agents. */
export function useNewThreadChoice({ seeds: given, draftKey, remembers = false }: NewThreadChoiceOptions): NewThreadChoice {
  const [kept, change] = useChoice(given, draftKey);
  const [last] = useState(() => (remembers ? lastChoice() : kNothing));
  const isOffered = useSystemConfig().data?.records.includes("providers") === true;
  const known = useProjects({ enabled: isOffered }).data;
  const projects = known ?? [];
  // A project may be gone since it was chosen.
  const isGone = typeof kept.projectId === "string" && known?.every(({ id }) => id !== kept.projectId) === true;
  const choice = isGone ? without(kept, "projectId", "environment") : kept;
  const lastProject = projects.find(({ id }) => id === last.projectId)?.id ?? null;
  const asked = isOffered ? existingSeeds(given, { projects: known }) : given;
  const projectId = choice.projectId === undefined ? (projectOf(asked) ?? lastProject) : choice.projectId;
  const project = projects.find(({ id }) => id === projectId);
  const hasPlaces = isOffered && (project !== undefined || given.defaultEnvironment !== undefined);
  const hosts = useQuery({ ...hostsQuery, enabled: hasPlaces }, queryClient).data;
  const found = useEnvironments(project?.id ?? kPersonalProjectId, { enabled: hasPlaces }).data;
  const seeds = isOffered ? existingSeeds(given, { projects: known, hosts, environments: found }) : given;
  const defaults = useProjectDefaults(isOffered ? projectId : null);
  const agents = useAgents();
  const lastAgent = agents.find(({ id, available }) => id === last.providerId && available)?.id;
  const usual = defaults.providerId === undefined ? lastAgent : undefined;
  const isAgent = (wanted: string) => agents.length === 0 || agents.some(({ id }) => id === wanted);
  const wanted = [choice.providerId, seeds.defaultProviderId, defaults.providerId, usual].find((id) => id !== undefined && isAgent(id));
  const agent = agents.find(({ id }) => id === wanted) ?? agents.find(({ available }) => available) ?? agents[0];
  const providerId = agent?.id ?? "";
  const ofAgent = providerId === defaults.providerId ? defaults : {};
  const ofLast = providerId === last.providerId && providerId !== defaults.providerId ? last : kNothing;
  const lastMode = defaults.permissionMode === undefined ? last.permissionMode : undefined;
  const offered = useProviderModels(providerId);
  const seedModel = findModel(offered, seeds.defaultModel) === undefined && offered.models.length > 0 ? undefined : seeds.defaultModel;
  const seedPlace = choice.projectId === undefined ? seeds.defaultEnvironment : undefined;
  const places = withPlace(environmentOptions(project, found ?? [], hosts ?? []), seedPlace, found ?? [], hosts ?? []);
  // So may a place.
  const isPlace = project === undefined || found === undefined || places.some(({ intent }) => samePlace(intent, choice.environment));
  const environment = (isPlace ? choice.environment : undefined) ?? seedPlace;
  const place = places.findIndex(({ intent }) => samePlace(intent, environment));
  const toMake = worktreeOf(environment);
  const isOtherAgent = choice.providerId !== undefined && choice.providerId !== seeds.defaultProviderId;
  const { defaultModel: _model, defaultReasoningLevel, ...others } = seeds;
  // What is not set must be absent: it would count as chosen.
  const merged = Object.fromEntries(
    Object.entries({
      ...others,
      // The model of another agent is none of this one's.
      defaultModel: choice.model ?? (isOtherAgent ? undefined : seedModel) ?? ofLast.model,
      defaultReasoningLevel: choice.reasoningLevel ?? (isOtherAgent ? undefined : defaultReasoningLevel) ?? ofLast.reasoningLevel,
      projectId: undefined,
      defaultProjectId: projectId ?? undefined,
      defaultProviderId: [choice.providerId, seeds.defaultProviderId].find((id) => id !== undefined && isAgent(id)) ?? usual,
      defaultPermissionMode: choice.permissionMode ?? seeds.defaultPermissionMode ?? lastMode,
      defaultEnvironment: environment,
    }).filter(([, value]) => value !== undefined),
  ) as NewThreadSeeds;
  const sent = () => {
    forgetChoice(draftKey);
    if (remembers) {
      rememberChoice({ ...choice, projectId });
    }
  };
  if (!isOffered) {
    return { projectId, providerId, seeds: merged, sent, controls: null, footer: null };
  }
  return {
    sent,
    projectId,
    providerId,
    seeds: merged,
    controls: agent !== undefined && (
      <ExecutionPickers
        providerId={providerId}
        current={{
          model: seedModel ?? ofAgent.model ?? ofLast.model ?? null,
          reasoningLevel: seeds.defaultReasoningLevel ?? ofAgent.reasoningLevel ?? ofLast.reasoningLevel ?? null,
          permissionMode: seeds.defaultPermissionMode ?? defaults.permissionMode ?? lastMode ?? kDefaultPermissionMode,
        }}
        choice={choice}
        onChoice={change}
      />
    ),
    footer: (
      <div className="flex flex-wrap gap-2">
        <Select
          aria-label="Project"
          className="w-44"
          value={project?.id ?? kPersonalProjectId}
          options={[{ value: kPersonalProjectId, label: "No project" }, ...projects.map(({ id, name }) => ({ value: id, label: name }))]}
          onValueChange={(next) => change({ ...without(choice, "environment"), projectId: next === kPersonalProjectId ? null : next })}
        />
        {places.length > 1 && (
          <Select
            aria-label="Where it works"
            className="w-48"
            value={String(Math.max(0, place))}
            options={places.map(({ label }, index) => ({ value: String(index), label }))}
            onValueChange={(next) => change({ ...choice, environment: places[Number(next)]!.intent })}
          />
        )}
        {project !== undefined && toMake !== null && (
          <BranchPicker
            projectId={project.id}
            hostId={toMake.hostId}
            value={toMake.branch}
            onChange={(branch) => change({ ...choice, environment: worktree(toMake.hostId, branch) })}
          />
        )}
        {agents.length > 0 && (
          <Select
            aria-label="Agent"
            className="w-44"
            value={providerId}
            options={agents.map(agentOption)}
            onValueChange={(next) => change({ ...without(choice, "model", "reasoningLevel"), providerId: next })}
          />
        )}
      </div>
    ),
  };
}

function without(choice: Choice, ...names: (keyof Choice)[]): Choice {
  return Object.fromEntries(Object.entries(choice).filter(([name]) => !names.includes(name as keyof Choice))) as Choice;
}
