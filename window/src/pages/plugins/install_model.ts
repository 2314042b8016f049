/** Which plugin of a repository. */
export type Selection = { kind: "root" } | { kind: "subdirectory"; path: string } | { kind: "entry"; name: string };

export interface InstallRequest {
  source: string;
  selection?: Selection;
  tagPrefix?: string;
  /** What was looked at: the install is refused when it is another by then. */
  confirmedSource?: string;
}

/** What an install would take, as `POST /plugins/install/preview` answers. */
export interface InstallPreview {
  id: string | null;
  package: string | null;
  version: string | null;
  source: string;
  resolved: string;
  /** Where it comes from, for people. */
  from: string;
  pinned: boolean;
  confirmedSource: string;
  /** Why it cannot run here; null when it can. */
  incompatible: string | null;
  entryId?: string;
  marketplace?: string;
  publisher?: string;
  /** The plugins that a repository lists, when the request names none of them. Without an `id`, one has to be chosen. */
  entries?: RepositoryEntry[];
}

/** What a package says of itself, as `POST /plugins/install/about` answers. Nothing of it has run. */
export interface PackageAbout {
  id: string;
  package: string;
  version: string;
  name: string;
  description: string | null;
  /** The name of an icon of the window. */
  icon: string | null;
  license: string | null;
  author: string | null;
  homepage: string | null;
  entries: { server: boolean; app: boolean; host: boolean };
  engines: { svc: string | null; svcPluginSdk: string | null };
  /** Skills and themes. */
  capabilities: { kind: string; id: string; label: string; detail: string | null }[];
  /** What the service would skip or refuse. */
  problems: { code: string; message: string }[];
  dependencies: string[];
  files: number;
  bytes: number;
  /** Markdown. */
  readme: string | null;
  readmeIsCut: boolean;
  /** What the readme shows of the package's own files. */
  pictures: { path: string; mediaType: string; dataBase64: string }[];
}

/** A plugin in the `.svc/plugins.json` of a repository. */
export interface RepositoryEntry {
  name: string;
  /** Its directory in the repository. */
  source: string;
}

/** True when the repository has no plugin at its root: one of its entries has to be chosen before anything is known. */
export function needsChoice({ id, entries }: InstallPreview): boolean {
  return id === null && entries !== undefined && entries.length > 0;
}

/** True for a directory, which is used where it is; everything else is copied into the service's cache. */
export function isInPlace(preview: InstallPreview): boolean {
  return preview.resolved === preview.from && !/\.(tgz|tar\.gz)$/i.test(preview.resolved);
}

export type InstallJobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

export interface InstallJob {
  id: string;
  source: string;
  state: InstallJobState;
  step: string;
  error: { code: string; message: string; details?: { reason?: string; pluginId?: string } } | null;
  pluginId: string | null;
  createdAt: number;
  finishedAt: number | null;
}

export function isActiveJob(job: InstallJob): boolean {
  return job.state === "queued" || job.state === "running";
}

/** The plugin that has this source already, which an update replaces: nothing failed, whoever asked was told of it. */
export function updatedInstead({ error }: InstallJob): string | null {
  return error?.details?.reason === "use_update" ? (error.details.pluginId ?? null) : null;
}

const kStepNames: Readonly<Record<string, string>> = {
  resolving: "Looking up the version…",
  registering: "Starting the plugin…",
  "building bundles": "Building its bundles…",
};

/** What a job does right now. */
export function jobProgress(job: InstallJob): string {
  if (job.state === "queued") {
    return "Waiting for another install to end…";
  }
  const step = job.step.trim();
  return kStepNames[step] ?? (step === "" ? "Starting…" : `${step.charAt(0).toUpperCase()}${step.slice(1)}…`);
}

/** True for what may hold several plugins, so that the choice between them is worth showing. */
export function mayHoldSeveral(source: string): boolean {
  const text = source.trim();
  return /^(git:|https?:\/\/|ssh:\/\/|git@)/i.test(text) && !/\.(tgz|tar\.gz)$/i.test(text);
}

/** The fields of the dialog's form. */
export interface InstallForm {
  source: string;
  kind: Selection["kind"];
  subdirectory: string;
  entry: string;
  tagPrefix: string;
}

export const kEmptyInstallForm: InstallForm = { source: "", kind: "root", subdirectory: "", entry: "", tagPrefix: "" };

/** The request of a form, or what is missing in it. */
export function toInstallRequest(form: InstallForm): { request: InstallRequest } | { issue: string; field: keyof InstallForm } {
  const source = form.source.trim();
  if (source === "") {
    return { issue: "Enter a directory, a git URL or an npm package.", field: "source" };
  }
  const request: InstallRequest = { source };
  if (!mayHoldSeveral(source)) {
    return { request };
  }
  if (form.kind === "subdirectory") {
    const path = form.subdirectory.trim();
    if (path === "") {
      return { issue: "Enter the directory of the plugin inside the repository.", field: "subdirectory" };
    }
    request.selection = { kind: "subdirectory", path };
  } else if (form.kind === "entry") {
    const name = form.entry.trim();
    if (name === "") {
      return { issue: "Enter the name of the plugin.", field: "entry" };
    }
    request.selection = { kind: "entry", name };
  }
  const tagPrefix = form.tagPrefix.trim();
  return { request: tagPrefix === "" ? request : { ...request, tagPrefix } };
}
