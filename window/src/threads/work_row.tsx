import FileSymlink from "lucide-react/icons/file-symlink";
import { createContext, memo, type ReactNode, use, useMemo } from "react";

import type { JsonValue } from "#sdk/json.js";
import type { PluginTimelineRendererProps } from "#sdk/app/slots/thread.js";

import { nameOf } from "@/files/path";
import { GrowingText } from "@/lib/growing_text";
import { ownMember } from "@/lib/own";
import { useTheme } from "@/lib/theme";
import { useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { Diff } from "@/sdk_app/diff";
import { StreamedMarkdown } from "@/sdk_app/streamed_markdown";
import { TextFilesContext } from "@/sdk_app/text_files";
import { FileImage } from "@/sdk_app/text_image";
import { IconButton } from "@/ui/button";
import { isKeptPicture } from "./kept_picture";
import { fileOf } from "./work_files";
import { Output } from "./output";
import { RowFrame } from "./row_frame";
import { RowList } from "./row_list";
import { type ShownRow, useThreadView } from "./thread_view";
import { isDenied, isWaiting, tintOf, type WorkRow, workTitle } from "./work_titles";

type Of<Kind extends WorkRow["workKind"]> = WorkRow & { workKind: Kind };
type Shown<Kind extends WorkRow["workKind"]> = Omit<ShownRow, "row"> & { row: Of<Kind> };

const json = (value: JsonValue): string => JSON.stringify(value, null, 2);

function CommandBody({ row: { command, cwd, output }, text }: Shown<"command">) {
  return (
    <div className="flex flex-col gap-2">
      <pre tabIndex={0} className="font-mono text-xs/5 wrap-anywhere whitespace-pre-wrap">
        {command}
        {cwd !== null && <span className="block text-muted-foreground">in {cwd}</span>}
      </pre>
      <Output text={text ?? output} label="Output of the command" />
    </div>
  );
}

function ToolBody({ row: { toolArgs, output }, text }: Shown<"tool">) {
  return (
    <div className="flex flex-col gap-2">
      {toolArgs !== null && Object.keys(toolArgs).length > 0 && <Output text={json(toolArgs)} label="Arguments" />}
      <Output text={text ?? output} label="Result" />
    </div>
  );
}

function FileBody({ row: { change, stdout, stderr } }: Shown<"file-change">) {
  return (
    <div className="flex flex-col gap-2">
      {change.diff === null ? (
        <p className="text-sm text-muted-foreground">The change was not recorded.</p>
      ) : (
        <Diff patch={change.diff} path={change.path} />
      )}
      {[stdout, stderr].map((output, index) => output !== null && output !== "" && <Output key={index} text={output} label="Output" />)}
    </div>
  );
}

function QuestionBody({ row: { questions, answers } }: Shown<"question">) {
  return (
    <dl className="flex flex-col gap-2 text-sm">
      {questions.map(({ id, prompt, options }) => {
        const answer = ownMember(answers ?? {}, id);
        const chosen = answer?.selected.map((value) => options?.find((option) => option.value === value)?.label ?? value) ?? [];
        const said = [...chosen, ...(answer?.freeText === undefined ? [] : [answer.freeText])].join(", ");
        return (
          <div key={id}>
            <dt className="font-medium">{prompt}</dt>
            <dd className="text-muted-foreground">{said || "Not answered"}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function DelegationBody({ row: { output, childRows }, text }: Shown<"delegation">) {
  return (
    <div className="flex flex-col gap-2">
      <RowList rows={childRows} />
      <Output text={text ?? output} label="What the agent answered" />
    </div>
  );
}

function ImageBody({ path }: { path: string }) {
  const file = use(TextFilesContext)?.image(path.split("/").map(encodeURIComponent).join("/")) ?? null;
  return file === null ? (
    <p className="text-sm text-muted-foreground">It is not known on which machine this picture is.</p>
  ) : (
    <FileImage key={path} file={file} alt={isKeptPicture(path) ? "Picture" : nameOf(path)} isWanted />
  );
}

/** Null: there is nothing to open. */
function bodyOf(shown: Omit<ShownRow, "row"> & { row: WorkRow }): (() => ReactNode) | null {
  const { row, text } = shown;
  const grown = (own: string) => text ?? new GrowingText(own);
  switch (row.workKind) {
    case "command":
      return () => <CommandBody {...shown} row={row} />;
    case "tool":
      return () => <ToolBody {...shown} row={row} />;
    case "file-change":
      return () => <FileBody {...shown} row={row} />;
    case "delegation":
      return () => <DelegationBody {...shown} row={row} />;
    case "question":
      return () => <QuestionBody {...shown} row={row} />;
    case "reasoning":
      return row.text === "" && (text?.length ?? 0) === 0
        ? null
        : () => <StreamedMarkdown text={grown(row.text)} className="text-sm/relaxed text-muted-foreground" />;
    case "plan":
      return () => <StreamedMarkdown text={grown(row.text)} className="text-sm/relaxed" />;
    case "workflow":
      return row.summary === null ? null : () => <p className="text-sm wrap-anywhere whitespace-pre-wrap">{row.summary}</p>;
    case "web-fetch":
      return row.prompt === null ? null : () => <p className="text-sm wrap-anywhere text-muted-foreground">{row.prompt}</p>;
    case "image-view":
      return () => <ImageBody path={row.path} />;
    case "web-search":
    case "approval":
      return null;
    default:
      return () => <Output text={json(row as unknown as JsonValue)} label="What the service says" />;
  }
}

const OriginalBody = createContext<() => ReactNode>(() => null);

/** The body as the window shows it, wherever a plugin puts it. */
function Original() {
  return use(OriginalBody)();
}

const isObject = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body of a tool's row, as a plugin shows it. */
function useToolRenderer(row: WorkRow) {
  const renderers = useRegistrations("timelineRenderers");
  if (row.workKind !== "tool") {
    return undefined;
  }
  const wanted = isObject(row.presentation) ? row.presentation.kind : undefined;
  return (
    renderers.find(({ registration }) => registration.kind === wanted) ?? renderers.find(({ registration }) => registration.kind === "tool")
  );
}

function PluginBody({
  row,
  renderer,
  body,
}: {
  row: Of<"tool">;
  renderer: NonNullable<ReturnType<typeof useToolRenderer>>;
  body: () => ReactNode;
}) {
  const { threadId, projectId, surface } = useThreadView();
  const props = useMemo<PluginTimelineRendererProps>(
    () => ({
      row: row as unknown as PluginTimelineRendererProps["row"],
      payload: { toolName: row.toolName, toolArgs: row.toolArgs, output: row.output },
      presentation: isObject(row.presentation) ? row.presentation : null,
      thread: { id: threadId, projectId },
      Original,
      experimental_Original: Original,
    }),
    [row, threadId, projectId],
  );
  return (
    <OriginalBody value={body}>
      <SlotMount
        plugin={renderer.plugin}
        slot="experimental_timelineRenderer"
        id={renderer.registration.kind}
        instanceId={row.id}
        surface={surface}
        component={renderer.registration.component}
        props={props}
        fallback={<Original />}
      />
    </OriginalBody>
  );
}

/** Opens the file that a row is about. */
function FileAction({ row }: { row: WorkRow }) {
  const files = use(TextFilesContext);
  const file = files === null ? null : fileOf(row);
  return file === null ? null : (
    <IconButton size="sm" label={`Open ${file.path}`} onClick={() => files?.open(file)}>
      <FileSymlink aria-hidden />
    </IconButton>
  );
}

/** Something that an agent did: a header that says what, and a body that shows what came of it. */
export const WorkRowView = memo(function WorkRowView({ row, text, isStreaming }: Omit<ShownRow, "row"> & { row: WorkRow; length: number }) {
  const { icon, title, subject, detail } = workTitle(row);
  const { mode } = useTheme();
  const renderer = useToolRenderer(row);
  const body = bodyOf({ row, text, isStreaming });
  const shown =
    body !== null && renderer !== undefined && row.workKind === "tool"
      ? () => <PluginBody row={row} renderer={renderer} body={body} />
      : body;
  return (
    <RowFrame
      id={row.id}
      icon={icon}
      tint={tintOf(row, mode)}
      title={title}
      subject={subject}
      detail={detail}
      status={row.status}
      approval={isWaiting(row) ? (row.workKind === "approval" ? "asked" : "waiting") : isDenied(row) ? "denied" : null}
      isOpenByDefault={row.workKind === "plan"}
      actions={<FileAction row={row} />}
      {...(shown === null ? {} : { children: shown })}
    />
  );
});
