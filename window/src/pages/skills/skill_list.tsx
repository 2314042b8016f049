import GraduationCap from "lucide-react/icons/graduation-cap";
import { useState } from "react";
import { Link } from "react-router";

import type { Skill, SkillList as List } from "@/api/skills";
import { counted } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { Badge, Banner, Button, Card, EmptyState, Input, Section } from "@/ui";
import { Page, PageTitle } from "@/ui/page";

import { groupSkills } from "./groups";

/** Every skill by where it comes from, with a search. */
export function SkillList({ list }: { list: List }) {
  const [query, setQuery] = useState("");
  const groups = groupSkills(list.skills, query);
  return (
    <Page>
      <PageTitle>Skills</PageTitle>
      <Problems problems={list.problems} />
      {list.skills.length === 0 ? (
        <NoSkills />
      ) : (
        <>
          <Input
            type="search"
            aria-label="Search skills"
            placeholder="Search skills…"
            className="max-w-80"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <p role="status" className="sr-only">
            {query === "" ? "" : `${counted(groups.flatMap(({ skills }) => skills).length, "skill")} found`}
          </p>
          {groups.length === 0 && (
            <EmptyState
              title={`No skill matches “${query}”`}
              description="The search looks at names, descriptions and where skills come from."
              actions={<Button onClick={() => setQuery("")}>Clear the search</Button>}
            />
          )}
          {groups.map(({ title, description, skills }) => (
            <Section key={title} title={title} description={description}>
              <Card>
                <ul aria-label={title} className="divide-y divide-border-hairline">
                  {skills.map((skill) => (
                    <Row key={skill.id} skill={skill} />
                  ))}
                </ul>
              </Card>
            </Section>
          ))}
        </>
      )}
    </Page>
  );
}

function Row({ skill }: { skill: Skill }) {
  const owner = skill.pluginId ?? skill.provider;
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Link to={paths.skill(skill.id)} className="inline-flex min-h-6 items-center font-semibold wrap-anywhere hover:underline">
          {skill.name}
        </Link>
        {owner !== null && <Badge>{owner}</Badge>}
        {!skill.offered && skill.provider === null && <Badge tone="warning">Hidden by another</Badge>}
      </div>
      <p className="line-clamp-3 text-pretty wrap-anywhere text-muted-foreground">{skill.description}</p>
    </li>
  );
}

function Problems({ problems }: { problems: List["problems"] }) {
  if (problems.length === 0) {
    return null;
  }
  return (
    <Banner tone="warning" title={`${counted(problems.length, "remark")} on folders of skills`}>
      <details>
        <summary className="min-h-6 cursor-pointer">Show them</summary>
        <ul className="mt-1 flex list-disc flex-col gap-1 pl-5">
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`} className="wrap-anywhere">
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      </details>
    </Banner>
  );
}

function NoSkills() {
  return (
    <EmptyState
      as="h2"
      icon={<GraduationCap />}
      title="No skills yet"
      description="Skills are instructions for agents. Plugins bring some along; your own are folders with a SKILL.md in the folder skills of the data directory."
      actions={
        <Button asChild>
          <Link to={paths.browsePlugins()}>Browse plugins</Link>
        </Button>
      }
    />
  );
}
