import GraduationCap from "lucide-react/icons/graduation-cap";
import { Link, useParams } from "react-router";

import { usePlugins } from "@/api/queries";
import { paths } from "@/lib/navigation";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { PluginIcon } from "@/ui/plugin_icon";
import { Loading } from "@/ui/spinner";

/** `/skills`, and one of them: what plugins teach agents. */
export default function SkillsPage() {
  const { skillId } = useParams();
  const { data, isPending, isError, error, refetch, isFetching } = usePlugins();
  if (isPending) {
    return <Loading />;
  }
  if (isError) {
    return (
      <div className="p-4">
        <ErrorNotice title="The skills could not be loaded" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
      </div>
    );
  }
  const skills = data.flatMap((record) =>
    record.capabilities.filter(({ kind }) => kind === "skill").map((skill) => ({ ...skill, record })),
  );
  const shown = skillId === undefined ? skills : skills.filter(({ id }) => id === skillId);
  if (shown.length === 0) {
    return (
      <EmptyState
        as="h1"
        icon={<GraduationCap />}
        title={skillId === undefined ? "No skills yet" : "There is no such skill"}
        description="Skills are instructions that plugins bring along for agents. A plugin that has some lists them here once it runs."
        actions={
          <Button asChild>
            <Link to={skillId === undefined ? paths.browsePlugins() : "/skills"}>
              {skillId === undefined ? "Browse plugins" : "All skills"}
            </Link>
          </Button>
        }
      />
    );
  }
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-6 px-4 py-6 md:px-8">
      <h1 tabIndex={-1} className="text-xl font-semibold">
        {skillId === undefined ? "Skills" : (shown[0]?.label ?? skillId)}
      </h1>
      <ul className="grid gap-3 sm:grid-cols-2">
        {shown.map(({ id, label, detail, record }) => (
          <li key={`${record.id}/${id}`}>
            <Card className="flex h-full flex-col gap-1.5 p-4 text-sm">
              <h2 className="font-semibold wrap-anywhere">{label}</h2>
              {detail !== null && <p className="text-pretty wrap-anywhere text-muted-foreground">{detail}</p>}
              <p className="mt-auto pt-1">
                <Link
                  to={paths.pluginDetail(record.id)}
                  className="inline-flex min-h-6 items-center gap-1.5 text-xs text-muted-foreground hover:text-foreground hover:underline"
                >
                  <PluginIcon record={record} />
                  {record.name}
                </Link>
              </p>
            </Card>
          </li>
        ))}
      </ul>
    </div>
  );
}
