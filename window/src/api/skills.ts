import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Skill as SdkSkill } from "#sdk/records.js";

import { createFollower, useFollow } from "./follow";
import { api } from "./http";
import { queryClient } from "./queries";
import { realtime as windowRealtime, type Realtime } from "./realtime";

export interface SkillFile {
  path: string;
  size: number;
  digest: string;
  executable: boolean;
}

/** A skill, as `GET /skills` lists it. */
export type Skill = SdkSkill & {
  /** The one of its name that agents get; others are hidden by it, or belong to one agent's program. */
  offered: boolean;
  tree: { digest: string; files: SkillFile[] };
};

export interface SkillList {
  skills: Skill[];
  /** Folders that are no skills, or skills with a remark. */
  problems: { path: string; message: string }[];
}

export interface SkillContent {
  content: string;
  revision: string;
}

const kKey = ["skills"] as const;

const skillsQuery = queryOptions({
  queryKey: [...kKey, "list"],
  queryFn: ({ signal }) => api<SkillList>("GET", "/skills", { signal }),
});

/** Every skill of the user, of plugins and of the service. */
export function useSkills(): UseQueryResult<SkillList> {
  return useQuery(skillsQuery);
}

/** The text of one file; it is asked for anew when the skill is another one. */
export function useSkillContent(skill: Skill, path: string): UseQueryResult<SkillContent> {
  return useQuery({
    queryKey: [...kKey, "content", skill.id, path, skill.tree.digest],
    queryFn: ({ signal }) => api<SkillContent>("GET", "/skills/content", { query: { skillId: skill.id, path }, signal }),
  });
}

/** Keeps skills on screen true while the component is mounted. */
export function useFollowSkills(realtime: Realtime = windowRealtime): void {
  useFollow(useMemo(() => createFollower({ kind: "system" }, skillsQuery.queryKey, { realtime }), [realtime]));
}

async function changing<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    void queryClient.invalidateQueries({ queryKey: kKey });
  }
}

/** Writes SKILL.md; 409 `conflict` with `details.revision` when the one on disk is not `revision`. */
export async function saveSkill(skill: Skill, content: string, revision: string): Promise<void> {
  await changing(
    api("PUT", "/skills", { body: { projectId: "proj_personal", environmentId: null, skillId: skill.id, content, revision } }),
  );
}

export async function removeSkill(skill: Skill): Promise<void> {
  await changing(api("DELETE", "/skills", { body: { projectId: "proj_personal", environmentId: null, skillId: skill.id } }));
}
