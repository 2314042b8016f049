// Paths of machines: absolute, with slashes. The window never resolves `..` or links; the machine does.

export interface Crumb {
  name: string;
  path: string;
}

/** `/a/b` → `/`, `/a`, `/a/b`. */
export function crumbsOf(path: string): Crumb[] {
  const names = path.split("/").filter((name) => name !== "");
  return [{ name: "/", path: "/" }, ...names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join("/")}` }))];
}

export function joinPath(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** The folder that holds it; of `/` itself `/`. */
export function folderOf(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed.slice(0, trimmed.lastIndexOf("/")) || "/";
}

export function nameOf(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

/** What is typed so far: the folder it names, and the beginning of a name in it. */
export function splitTyped(typed: string): { folder: string; prefix: string } {
  const at = typed.lastIndexOf("/");
  return { folder: typed.slice(0, at).replace(/\/+$/, "") || "/", prefix: typed.slice(at + 1) };
}

/** Why something in a folder cannot have this name; null when it can. */
export function nameIssue(name: string): string | null {
  if (name.trim() === "") {
    return "Enter a name.";
  }
  if (name === "." || name === "..") {
    return "“.” and “..” mean folders that are there already.";
  }
  return name.includes("/") ? "A name has no slash." : null;
}

/** As an address spells it; what is no valid spelling stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
