import Download from "lucide-react/icons/download";
import FileQuestionMark from "lucide-react/icons/file-question-mark";
import FileX from "lucide-react/icons/file-x";
import { useEffect, useMemo, useRef, useState } from "react";

import { type FileContent, kTextShown, useFileContent } from "@/api/file_content";
import { ApiError } from "@/lib/api_error";
import { formatBytes } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { Diff } from "@/sdk_app/diff";
import { Markdown } from "@/sdk_app/markdown";
import { SourceCode } from "@/sdk_app/source_code";
import { type TextAddresses, TextAddressesContext } from "@/sdk_app/text_addresses";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

import { decodePath, folderOf, joinPath, nameOf } from "./path";
import { type PreviewKind, previewKindOf, splitPatch } from "./preview_kind";

export interface FilePreviewProps {
  hostId: string;
  path: string;
  /** Shows what would be formatted as it is written. */
  isSource: boolean;
  /** The line that is marked and scrolled to. */
  line: number | null;
}

/** The window's own view of a file. */
export function FilePreview({ hostId, path, isSource, line }: FilePreviewProps) {
  const name = nameOf(path);
  const kind: PreviewKind = isSource ? "text" : previewKindOf(name);
  const isText = kind !== "image" && kind !== "pdf";
  const content = useFileContent(hostId, folderOf(path), name, isText);
  if (content.data !== undefined) {
    return <Content key={path} hostId={hostId} content={content.data} kind={kind} name={name} path={path} line={line} />;
  }
  if (content.isPending) {
    return <Loading label={`Reading ${name}…`} />;
  }
  if (content.error instanceof ApiError && content.error.status === 404) {
    return (
      <EmptyState
        icon={<FileX />}
        title={`${name} is not there`}
        description="It may have been moved or deleted. Read the folder again to see what is in it."
      />
    );
  }
  return (
    <ErrorNotice
      className="m-4"
      title={`${name} could not be read`}
      error={content.error}
      onRetry={() => void content.refetch()}
      isRetrying={content.isFetching}
    />
  );
}

const withoutFragment = (address: string) => address.replace(/[?#].*$/, "");

/** A link of a text to a file near it. Only the machine knows what a path is: one that ends with a slash is taken for a folder. */
function pathOfLink(hostId: string, folder: string, address: string): string {
  const { pathname } = new URL(withoutFragment(address), `file://${joinPath(folder, "")}`);
  const target = decodePath(pathname);
  return target.endsWith("/")
    ? paths.files({ hostId, folder: target.replace(/(.)\/$/, "$1") })
    : paths.files({ hostId, folder: folderOf(target), file: nameOf(target) });
}

interface ContentProps {
  hostId: string;
  content: FileContent;
  kind: PreviewKind;
  name: string;
  path: string;
  line: number | null;
}

function Content({ hostId, content, kind, name, path, line }: ContentProps) {
  const addresses = useMemo<TextAddresses>(
    () => ({
      imageUrl: (address) => new URL(withoutFragment(address), content.url).href,
      linkPath: (address) => pathOfLink(hostId, folderOf(path), address),
    }),
    [hostId, path, content.url],
  );
  if (kind === "image") {
    return <ImageView content={content} name={name} />;
  }
  if (kind === "pdf") {
    return <PdfView content={content} name={name} />;
  }
  if (content.text === null) {
    return <NoText content={content} name={name} title={`${name} is not a text`} why="The window shows texts, images and PDF files." />;
  }
  if (content.text === "") {
    return <EmptyState title={`${name} is empty`} description="It has no content." />;
  }
  return (
    <div className="flex min-w-0 flex-col gap-3 p-3">
      {content.isCut && (
        <Banner
          title={`The first ${formatBytes(kTextShown)} of ${formatBytes(content.sizeBytes)} are shown`}
          actions={<DownloadLink content={content} name={name} />}
        >
          Download the file to see all of it.
        </Banner>
      )}
      {content.isBroken && (
        <Banner title={`${name} is not UTF-8`} actions={<DownloadLink content={content} name={name} />}>
          Each byte that is none stands as “�” here. The file itself has what it had.
        </Banner>
      )}
      <TextAddressesContext value={addresses}>
        <TextView text={content.text} kind={kind} path={path} line={line} />
      </TextAddressesContext>
    </div>
  );
}

function TextView({ text, kind, path, line }: { text: string; kind: PreviewKind; path: string; line: number | null }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (line !== null) {
      box.current?.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
    }
  }, [line, text, kind]);
  if (kind === "markdown") {
    return <Markdown content={text} className="mx-auto w-full max-w-3xl px-2 py-1" />;
  }
  if (kind === "diff") {
    return splitPatch(text).map((patch, index) => <Diff key={index} patch={patch} path={path} />);
  }
  return (
    <div ref={box} className="min-w-0">
      <SourceCode content={text} path={path} {...(line === null ? {} : { highlightedLines: { start: line, end: line } })} />
    </div>
  );
}

function DownloadLink({ content, name }: { content: FileContent; name: string }) {
  return (
    <Button size="sm" asChild>
      <a href={content.url} download={name}>
        <Download aria-hidden />
        Download
      </a>
    </Button>
  );
}

function NoText({ content, name, title, why }: { content: FileContent; name: string; title: string; why: string }) {
  return (
    <EmptyState
      icon={<FileQuestionMark />}
      title={title}
      description={`${formatBytes(content.sizeBytes)}. ${why}`}
      actions={<DownloadLink content={content} name={name} />}
    />
  );
}

function ImageView({ content, name }: { content: FileContent; name: string }) {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) {
    return <NoText content={content} name={name} title={`${name} cannot be drawn`} why="The browser does not take it for an image." />;
  }
  return (
    <div className="grid min-h-full place-items-center bg-surface-recessed-solid p-4">
      <img src={content.url} alt={name} className="max-h-full max-w-full object-contain" onError={() => setFailed(true)} />
    </div>
  );
}

/** The browser's own viewer. It starts in no sandbox; the service says that it is a PDF, which is no page and has no origin. */
function PdfView({ content, name }: { content: FileContent; name: string }) {
  return navigator.pdfViewerEnabled === false ? (
    <NoText content={content} name={name} title={`${name} is not shown here`} why="This browser shows no PDF files in pages." />
  ) : (
    <iframe src={content.url} title={name} className="block h-full min-h-96 w-full border-0 bg-surface-recessed-solid" />
  );
}
