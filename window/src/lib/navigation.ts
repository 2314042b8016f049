import { useMemo } from "react";
import { matchPath, useLocation } from "react-router";

import { routerBasename } from "./address";

/** The part of react-router's data router that navigation needs. */
export interface NavigationRouter {
  readonly state: { location: { pathname: string; search: string; hash: string; state?: unknown } };
  navigate(to: string, options?: { replace?: boolean; state?: unknown }): Promise<void> | void;
}

export interface RouteContext {
  projectId: string | null;
  threadId: string | null;
}

/** Travels with a navigation to `/`; the composer takes it up. */
export interface ComposeState {
  compose: { initialPrompt?: string; focusPrompt?: boolean; projectId?: string };
}

/** Travels with a navigation to what a package says of itself: somebody chose its source in the window. An address cannot bring it. */
export interface AboutState {
  isSourceChosen: true;
}

export const kSourceChosen: AboutState = { isSourceChosen: true };

const kThreadRoutes = ["/threads/:threadId", "/projects/:projectId/threads/:threadId"];
const kProjectRoutes = ["/settings/projects/:projectId"];

let router: NavigationRouter | undefined;

/** Called once by the window, before anything navigates. */
export function bindRouter(instance: NavigationRouter): void {
  router = instance;
}

function go(to: string, options: { replace?: boolean; state?: unknown } = {}): void {
  if (router === undefined) {
    throw new Error("the window's router is not ready yet");
  }
  const pathname = /^[^?#]*/.exec(to)?.[0] ?? "";
  void router.navigate((routablePath(pathname) ?? pathname) + to.slice(pathname.length), options);
}

const part = encodeURIComponent;

/** Line breaks end what the router takes for a path, and `.` and `..` lead out of it also when they are encoded. */
const kStandIns: readonly (readonly [character: string, standIn: string])[] = [
  ["\n", "\ue00a"],
  ["\r", "\ue00d"],
  ["\u2028", "\ue028"],
  ["\u2029", "\ue029"],
];
const kDot = "\ue02e";

/** Encodes each segment of a path inside a plugin's page; empty ones are dropped. */
export function encodeSubPath(subPath: string): string {
  return subPath
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => part(withStandIns(/^\.{1,2}$/.test(segment) ? segment.replaceAll(".", kDot) : segment)))
    .join("/");
}

function withStandIns(segment: string): string {
  return kStandIns.reduce((text, [character, standIn]) => text.replaceAll(character, standIn), segment);
}

/** An address that was written by hand, or by somebody who does not know what the router cannot take; null when it can take it. */
export function routablePath(pathname: string): string | null {
  const routable = kStandIns.reduce(
    (path, [character, standIn]) => path.replaceAll(new RegExp(part(character), "gi"), part(standIn)),
    pathname,
  );
  return routable === pathname ? null : routable;
}

/** What is not valid percent encoding stays as it is. */
function decodePart(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The inverse: what a plugin's page is given. */
export function decodeSubPath(pathname: string): string {
  const decoded = pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map(decodePart)
    .join("/");
  return kStandIns.reduce((text, [character, standIn]) => text.replaceAll(standIn, character), decoded).replaceAll(kDot, ".");
}

/** What the page of files shows. */
export interface FilePlace {
  /** Absent: the server's own machine. */
  hostId?: string | undefined;
  /** A folder, absolute; absent: the home of the machine's user. */
  folder?: string | undefined;
  /** The name of the file that is shown beside it. */
  file?: string | undefined;
  /** The line of the file, from 1. */
  line?: number | undefined;
}

function filesPath({ hostId, folder, file, line }: FilePlace = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ path: folder, file, line })) {
    if (value !== undefined) {
      query.set(name, String(value));
    }
  }
  const search = query.toString();
  return `/files${hostId === undefined ? "" : `/${part(hostId)}`}${search === "" ? "" : `?${search}`}`;
}

/** Addresses inside the window, without the base path. */
export const paths = {
  /** With what is searched for in them. */
  threads: (query?: string) => `/threads${query === undefined ? "" : `?q=${part(query)}`}`,
  /** With the event of the log whose message is shown first; without, the end is. */
  thread: (id: string, at?: number | null) => `/threads/${part(id)}${at === undefined || at === null ? "" : `?at=${at}`}`,
  /** What waits for an answer, and what was not read. */
  inbox: () => "/inbox",
  project: (id: string) => `/settings/projects/${part(id)}`,
  /** Where threads work: a folder or a worktree. */
  environment: (id: string) => `/environments/${part(id)}`,
  pluginPanel: (pluginId: string, path: string, subPath = "") =>
    ["/plugins", part(pluginId), part(path), encodeSubPath(subPath)].filter((piece) => piece !== "").join("/"),
  plugins: () => "/plugins",
  browsePlugins: () => "/plugins?view=browse",
  /** What a source of a plugin is, before it is installed: `hello@demo`, `npm:…`, a repository, a directory of the server. Asks first without `kSourceChosen`. */
  pluginAbout: (source: string) => `/plugins?about=${encodeURIComponent(source)}`,
  pluginDetail: (id: string) => `/plugins/${part(id)}`,
  pluginSettings: (id: string) => `/settings/plugins/${part(id)}`,
  log: () => "/settings/log",
  pluginLogs: (id: string) => `/settings/plugins/${part(id)}/logs`,
  settings: (section?: string) => (section === undefined ? "/settings" : `/settings/${part(section)}`),
  projects: () => "/settings/projects",
  machines: () => "/settings/machines",
  agents: () => "/settings/agents",
  machine: (id: string) => `/settings/machines/${part(id)}`,
  /** The machines, asking where a terminal is opened. */
  newTerminal: (hostId?: string) => `/settings/machines?open=${hostId === undefined ? "" : `&host=${part(hostId)}`}`,
  terminals: () => "/terminals",
  terminal: (id: string) => `/terminals/${part(id)}`,
  files: (place?: FilePlace) => filesPath(place),
  skills: () => "/skills",
  /** With one of its files. */
  skill: (id: string, file?: string) => `/skills/${part(id)}${file === undefined ? "" : `?file=${part(file)}`}`,
} as const;

/** Navigation from anywhere, also outside of React. */
export const navigation = {
  to: (path: string, options?: { replace?: boolean; state?: unknown }) => go(path, options),
  toThread: (id: string) => go(paths.thread(id)),
  toProject: (id: string) => go(paths.project(id)),
  toPluginPanel: (pluginId: string, path: string, options: { subPath?: string; replace?: boolean } = {}) =>
    go(paths.pluginPanel(pluginId, path, options.subPath), { replace: options.replace ?? false }),
  toCompose: (compose: ComposeState["compose"] = {}) => go("/", { state: { compose } satisfies ComposeState }),
  toPlugins: () => go(paths.plugins()),
  toBrowsePlugins: () => go(paths.browsePlugins()),
  toPluginDetail: (id: string) => go(paths.pluginDetail(id)),
  toPluginSettings: (id: string) => go(paths.pluginSettings(id)),
  toPluginLogs: (id: string) => go(paths.pluginLogs(id)),
  toSettings: (section?: string) => go(paths.settings(section)),
  toProjects: () => go(paths.projects()),
  toMachines: () => go(paths.machines()),
  toMachine: (id: string) => go(paths.machine(id)),
  toTerminal: (id: string) => go(paths.terminal(id)),
  toFiles: (place?: FilePlace) => go(paths.files(place)),
};

/** Thread and project that an address names. */
export function routeContextOf(pathname: string): RouteContext {
  for (const pattern of kThreadRoutes) {
    const params = matchPath(pattern, pathname)?.params as { threadId?: string; projectId?: string } | undefined;
    if (params?.threadId !== undefined) {
      return { projectId: params.projectId === undefined ? null : decodePart(params.projectId), threadId: decodePart(params.threadId) };
    }
  }
  for (const pattern of kProjectRoutes) {
    const params = matchPath(pattern, pathname)?.params as { projectId?: string } | undefined;
    if (params?.projectId !== undefined) {
      return { projectId: decodePart(params.projectId), threadId: null };
    }
  }
  return { projectId: null, threadId: null };
}

/** The path that is shown, without the base path; `/` before the router is ready. */
export function pathnameNow(): string {
  const pathname = router?.state.location.pathname ?? "/";
  const base = routerBasename();
  return pathname.startsWith(base) ? pathname.slice(base.length - 1) : pathname;
}

/** The same outside of React. */
export function routeContextNow(): RouteContext {
  return routeContextOf(pathnameNow());
}

export function useRouteContext(): RouteContext {
  const { pathname } = useLocation();
  return useMemo(() => routeContextOf(pathname), [pathname]);
}
