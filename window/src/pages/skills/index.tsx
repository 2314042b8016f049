import { useParams } from "react-router";

import { useFollowSkills, useSkills } from "@/api/skills";
import { ErrorNotice, Loading } from "@/ui";
import { Page, PageTitle } from "@/ui/page";

import { SkillDetail, UnknownSkill } from "./skill_detail";
import { SkillList } from "./skill_list";

/** `/skills`, and one of them. */
export default function SkillsPage() {
  const { skillId } = useParams();
  useFollowSkills();
  const skills = useSkills();
  if (skills.data === undefined) {
    return (
      <Page>
        <PageTitle>Skills</PageTitle>
        {skills.isError ? (
          <ErrorNotice
            title="The skills could not be loaded"
            error={skills.error}
            onRetry={() => void skills.refetch()}
            isRetrying={skills.isFetching}
          />
        ) : (
          <Loading label="Loading skills…" />
        )}
      </Page>
    );
  }
  if (skillId === undefined) {
    return <SkillList list={skills.data} />;
  }
  const skill = skills.data.skills.find(({ id }) => id === skillId);
  return skill === undefined ? <UnknownSkill /> : <SkillDetail key={skill.id} skill={skill} />;
}
