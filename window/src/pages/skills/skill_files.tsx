import { Link } from "react-router";

import { type Skill, useSkillContent } from "@/api/skills";
import { ApiError } from "@/lib/api_error";
import { formatBytes } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { lowerHeadings } from "@/pages/plugins/lower_headings";
import { Markdown } from "@/sdk_app/markdown";
import { SourceCode } from "@/sdk_app/source_code";
import { Card, EmptyState, ErrorNotice, Loading } from "@/ui";

import { bodyOf } from "./groups";

export const kMainFile = "SKILL.md";
/** Markdown leaves the first level to the page; the section has the second. */
const kHeadingLevels = 1;

/** The files of a skill; each is shown on the same page. */
export function FileList({ skill, shown }: { skill: Skill; shown: string }) {
  return (
    <Card>
      <ul aria-label="Files" className="max-h-72 divide-y divide-border-hairline overflow-y-auto">
        {skill.tree.files.map(({ path, size, executable }) => (
          <li key={path} className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 px-4 py-1.5 text-sm">
            <Link
              to={paths.skill(skill.id, path === kMainFile ? undefined : path)}
              {...(path === shown ? { "aria-current": "true" as const } : {})}
              className="inline-flex min-h-6 min-w-0 items-center font-mono text-xs wrap-anywhere hover:underline aria-[current]:font-semibold"
            >
              {path}
            </Link>
            <span className="text-xs text-muted-foreground">
              {formatBytes(size)}
              {executable && ", executable"}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** One file: Markdown as it reads, other text as source. */
export function FileView({ skill, path }: { skill: Skill; path: string }) {
  const content = useSkillContent(skill, path);
  if (content.data !== undefined) {
    const text = content.data.content;
    if (!/\.(md|markdown)$/i.test(path)) {
      return <SourceCode content={text} path={path} />;
    }
    return (
      <Card className="px-4 py-3">
        <Markdown content={lowerHeadings(path === kMainFile ? bodyOf(text) : text, kHeadingLevels)} className="text-sm wrap-anywhere" />
      </Card>
    );
  }
  if (content.error instanceof ApiError && content.error.code === "invalid_argument") {
    return <EmptyState title="It is no text" description="Agents get the file as it is; there is nothing to read here." />;
  }
  return content.isError ? (
    <ErrorNotice
      title="The file could not be read"
      error={content.error}
      onRetry={() => void content.refetch()}
      isRetrying={content.isFetching}
    />
  ) : (
    <Loading label="Loading the file…" />
  );
}
