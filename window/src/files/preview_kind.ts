import { ownMember } from "@/lib/own";

/** How the window shows a file. */
export type PreviewKind = "image" | "pdf" | "markdown" | "diff" | "text";

const kKinds: Readonly<Record<string, PreviewKind>> = {
  ...Object.fromEntries(["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "ico", "svg"].map((extension) => [extension, "image"])),
  pdf: "pdf",
  md: "markdown",
  markdown: "markdown",
  diff: "diff",
  patch: "diff",
};

function extensionOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** By the name alone; whether a `text` is one shows when it is read. */
export function previewKindOf(name: string): PreviewKind {
  return ownMember(kKinds, extensionOf(name)) ?? "text";
}

/** Whether what is shown formatted can be shown as text, too. */
export function hasSource(name: string): boolean {
  const kind = previewKindOf(name);
  return kind === "markdown" || kind === "diff" || extensionOf(name) === "svg";
}

/** The files of a patch; text before the first one goes with it. */
export function splitPatch(patch: string): string[] {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.trim() !== "");
  const [first, second, ...rest] = parts;
  // A mail or a commit message above the first file.
  return first !== undefined && second !== undefined && !first.startsWith("diff --git ") ? [second, ...rest] : parts;
}
