import GraduationCap from "lucide-react/icons/graduation-cap";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";

import type { Skill } from "@/api/skills";
import { navigation, paths } from "@/lib/navigation";
import { Banner, Button, Card, EmptyState, Section } from "@/ui";
import { CopyButton } from "@/ui/copy_button";
import { Fact, Facts, Page, PageTitle } from "@/ui/page";

import { scopeText } from "./groups";
import { RemoveSkillDialog } from "./remove_skill_dialog";
import { SkillEditor } from "./skill_editor";
import { FileList, FileView, kMainFile } from "./skill_files";

/** `/skills/:skillId`: what a skill says, its files, and an editor for those that can be changed. `?file=` names the one shown. */
export function SkillDetail({ skill }: { skill: Skill }) {
  const [search] = useSearchParams();
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const asked = search.get("file") ?? kMainFile;
  const file = skill.tree.files.some(({ path }) => path === asked) ? asked : kMainFile;
  return (
    <Page>
      <div className="flex min-w-0 flex-wrap items-start justify-between gap-3">
        <PageTitle>{skill.name}</PageTitle>
        {skill.manageable && !isEditing && (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setEditing(true)}>Edit</Button>
            <Button onClick={() => setRemoving(true)}>Remove…</Button>
          </div>
        )}
      </div>
      {!skill.offered && <NotOffered skill={skill} />}
      <Card className="px-4 py-3">
        <Facts>
          <Fact term="When to use it">{skill.description}</Fact>
          <Fact term="From">
            {skill.pluginId === null ? (
              scopeText(skill)
            ) : (
              <Link to={paths.pluginDetail(skill.pluginId)} className="underline underline-offset-2">
                {skill.pluginId}
              </Link>
            )}
          </Fact>
          <Fact term="File">
            <span className="inline-flex max-w-full items-center gap-1">
              <code className="wrap-anywhere">{skill.filePath}</code>
              <CopyButton text={skill.filePath} label="Copy the path" />
            </span>
          </Fact>
        </Facts>
      </Card>
      {isEditing ? (
        <SkillEditor skill={skill} onDone={() => setEditing(false)} />
      ) : (
        <>
          {skill.tree.files.length > 1 && (
            <Section title="Files">
              <FileList skill={skill} shown={file} />
            </Section>
          )}
          <Section title={file === kMainFile ? "Text" : file}>
            <FileView key={file} skill={skill} path={file} />
          </Section>
        </>
      )}
      <RemoveSkillDialog skill={skill} open={isRemoving} onOpenChange={setRemoving} onRemoved={() => navigation.to(paths.skills())} />
    </Page>
  );
}

function NotOffered({ skill }: { skill: Skill }) {
  return skill.provider === null ? (
    <Banner tone="warning" title="Agents do not get this skill">
      Another skill of the same name comes before it.
    </Banner>
  ) : (
    <Banner tone="info" title={`Only ${skill.provider} gets this skill`}>
      It is in a folder of that program, which reads it by itself. The service hands it to no other agent.
    </Banner>
  );
}

export function UnknownSkill() {
  return (
    <EmptyState
      as="h1"
      icon={<GraduationCap />}
      title="There is no such skill"
      description="It may have been removed, or its plugin is off."
      actions={
        <Button asChild>
          <Link to={paths.skills()}>All skills</Link>
        </Button>
      }
    />
  );
}
