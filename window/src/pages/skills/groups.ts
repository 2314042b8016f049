import type { Skill } from "@/api/skills";

type Scope = Skill["scope"];

interface Group {
  title: string;
  description: string;
  scopes: readonly Scope[];
}

/** The strongest first, as agents get them. */
const kGroups: readonly Group[] = [
  { title: "Of the project", description: "In the project's own folders.", scopes: ["svc-project", "shared-project"] },
  { title: "Yours", description: "In the service's data directory and in ~/.agents/skills.", scopes: ["svc-user", "shared-user"] },
  { title: "Of plugins", description: "They come and go with their plugin.", scopes: ["plugin"] },
  { title: "Of the service", description: "Written by the service itself.", scopes: ["svc-builtin"] },
  {
    title: "Of single agents",
    description: "In folders that only one agent's program reads; the service hands them to no other.",
    scopes: ["provider-project", "provider-user"],
  },
];

export interface SkillGroup {
  title: string;
  description: string;
  skills: Skill[];
}

function matches(skill: Skill, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [skill.name, skill.description ?? "", skill.pluginId ?? "", skill.provider ?? "", skill.scope].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What fits the search, by where it comes from; no empty groups. */
export function groupSkills(skills: readonly Skill[], query: string): SkillGroup[] {
  return kGroups
    .map(({ title, description, scopes }) => ({
      title,
      description,
      skills: skills
        .filter((skill) => scopes.includes(skill.scope) && matches(skill, query))
        .sort((left, right) => left.name.localeCompare(right.name)),
    }))
    .filter((group) => group.skills.length > 0);
}

/** In words, for one skill. */
export function scopeText(skill: Skill): string {
  switch (skill.scope) {
    case "plugin":
      return "Plugin";
    case "svc-builtin":
      return "Service";
    case "provider-user":
    case "provider-project":
      return skill.provider ?? "Agent";
    case "shared-user":
    case "shared-project":
      return ".agents/skills";
    default:
      return "Yours";
  }
}

/** SKILL.md without the block at its top. */
export function bodyOf(text: string): string {
  return text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/, "");
}
