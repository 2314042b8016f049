import { ownMember } from "@/lib/own";

/** Files whose name says more than their extension. */
const kLanguageByName: Readonly<Record<string, string>> = {
  dockerfile: "docker",
  makefile: "make",
  gnumakefile: "make",
  "cmakelists.txt": "cmake",
  gemfile: "ruby",
  rakefile: "ruby",
  ".bashrc": "bash",
  ".zshrc": "bash",
  ".gitignore": "ini",
  ".editorconfig": "ini",
  ".env": "dotenv",
};

/** Extensions that the highlighter does not know as names of languages. */
const kLanguageByExtension: Readonly<Record<string, string>> = {
  cc: "cpp",
  cxx: "cpp",
  h: "c",
  hh: "cpp",
  hpp: "cpp",
  cts: "ts",
  mts: "ts",
  htm: "html",
  svg: "xml",
  plist: "xml",
  conf: "ini",
  cfg: "ini",
  patch: "diff",
};

/** The name under which the highlighter may know the language of a file; undefined when its name tells nothing. */
export function languageOfPath(path: string | null | undefined): string | undefined {
  const name = path?.split(/[/\\]/).at(-1)?.toLowerCase();
  if (name === undefined || name === "") {
    return undefined;
  }
  const named = ownMember(kLanguageByName, name);
  if (named !== undefined) {
    return named;
  }
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot + 1) : "";
  return extension === "" ? undefined : (ownMember(kLanguageByExtension, extension) ?? extension);
}
