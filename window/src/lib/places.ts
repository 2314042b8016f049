import { paths } from "./navigation";

/** A place of the window itself: a page that stands for a collection or a group of settings. */
export interface Place {
  readonly id: string;
  readonly title: string;
  /** Where it is. */
  readonly to: string;
  /** Further words that the palette finds it by. */
  readonly keywords?: readonly string[];
  /** Beginnings of the addresses that belong to it, beside its own. */
  readonly owns?: readonly string[];
}

/** A row of the sidebar. */
export interface SidebarPlace extends Place {
  /** The name of an icon. */
  readonly icon: string;
}

/** The rows of the sidebar above those of plugins, in order. */
export const kSidebarPlaces = [
  { id: "new-thread", title: "New thread", to: "/", icon: "SquarePen" },
  { id: "inbox", title: "Inbox", to: paths.inbox(), icon: "Inbox", keywords: ["questions", "approvals", "waiting", "unread"] },
  {
    id: "projects",
    title: "Projects",
    to: paths.projects(),
    icon: "FolderKanban",
    keywords: ["folders", "repositories"],
    owns: ["/environments"],
  },
  {
    id: "machines",
    title: "Machines",
    to: paths.machines(),
    icon: "Monitor",
    keywords: ["hosts", "computers", "join", "daemon"],
    owns: ["/terminals", "/files"],
  },
  { id: "skills", title: "Skills", to: paths.skills(), icon: "GraduationCap", keywords: ["instructions"] },
  {
    id: "plugins",
    title: "Plugins",
    to: paths.plugins(),
    icon: "Blocks",
    keywords: ["installed", "extensions"],
    owns: ["/settings/plugins"],
  },
] as const satisfies readonly SidebarPlace[];

export const kSettings = {
  id: "settings",
  title: "Settings",
  to: paths.settings(),
  keywords: ["preferences", "general", "safe mode"],
} as const satisfies Place;

/** The sections of the settings, in order; the first is what `/settings` shows. */
export const kSettingsPlaces = [
  { id: "general", title: "General", to: paths.settings() },
  { id: "appearance", title: "Appearance", to: paths.settings("appearance"), keywords: ["theme", "colours", "colors"] },
  { id: "shortcuts", title: "Keyboard shortcuts", to: paths.settings("shortcuts"), keywords: ["keys"] },
  { id: "agents", title: "Agents & MCP", to: paths.agents(), keywords: ["mcp", "clients", "tokens", "claude", "codex"] },
  { id: "about", title: "About", to: paths.settings("about"), keywords: ["version", "data directory"] },
] as const satisfies readonly Place[];

/** Single settings of the window, by the words people look for them with. */
export const kSettingRows: readonly Place[] = [
  {
    id: "safe-mode",
    title: "Safe mode",
    to: paths.settings(),
    keywords: ["hold plugins", "start without plugins"],
  },
  {
    id: "notifications",
    title: "Notifications of the system",
    to: paths.settings(),
    keywords: ["desktop", "sound", "alerts", "permission"],
  },
  { id: "sidebar-rows", title: "Order and hidden rows", to: paths.settings(), keywords: ["sidebar", "reset", "width"] },
  { id: "light-or-dark", title: "Light or dark", to: paths.settings("appearance"), keywords: ["theme", "mode", "night"] },
  { id: "palette", title: "Palette", to: paths.settings("appearance"), keywords: ["theme", "colours", "colors", "scheme"] },
  {
    id: "window-parts",
    title: "Parts of the window",
    to: paths.settings("appearance"),
    keywords: ["slots", "replace", "plugins", "thread list", "sidebar"],
  },
  { id: "file-types", title: "File types", to: paths.settings("appearance"), keywords: ["open with", "extension", "viewer", "opener"] },
  { id: "mcp-tokens", title: "Tokens of MCP clients", to: paths.agents(), keywords: ["access", "revoke", "claude", "codex"] },
  { id: "data-directory", title: "Data directory and version", to: paths.settings("about"), keywords: ["folder", "where", "update"] },
];

/** What belongs to a place and has a page of its own. */
const kFurtherPlaces = [
  { id: "threads", title: "Threads", to: paths.threads(), keywords: ["conversations", "archive", "sections", "search"] },
  {
    id: "browse-plugins",
    title: "Browse plugins",
    to: paths.browsePlugins(),
    keywords: ["catalogue", "marketplace", "install"],
  },
  { id: "terminals", title: "Terminals", to: paths.terminals(), keywords: ["shell", "console"] },
  { id: "files", title: "Files", to: paths.files(), keywords: ["folders", "browse", "preview"] },
  { id: "log", title: "Log", to: paths.log(), keywords: ["logs", "server", "errors", "all plugins", "messages"] },
] as const satisfies readonly Place[];

/** Everything that one can go to, in the order in which the palette lists it. `/settings` is there under its own name alone. */
export const kPlaces: readonly Place[] = [
  ...kSidebarPlaces,
  ...kFurtherPlaces,
  kSettings,
  ...kSettingsPlaces.filter(({ id }) => id !== "general"),
];

export type PlaceId =
  (typeof kSidebarPlaces)[number]["id"] | (typeof kSettingsPlaces)[number]["id"] | (typeof kFurtherPlaces)[number]["id"] | "settings";

/** One step of the way to a page. */
export interface Crumb {
  label: string;
  to?: string;
}

/** The place as the first steps of the way to what is in it. */
export function crumbTo(id: PlaceId): Crumb {
  const place = [...kPlaces, ...kSettingsPlaces].find((known) => known.id === id);
  return place === undefined ? { label: id } : { label: place.title, to: place.to };
}

const isBelow = (pathname: string, start: string) => pathname === start || pathname.startsWith(`${start}/`);

/** The row that an address belongs to: the one with the longest beginning of it. Pages of plugins and threads belong to none. */
export function rowOf(pathname: string): (typeof kSidebarPlaces)[number]["id"] | "settings" | null {
  const at = pathname.length > 1 ? pathname.replace(/\/+$/, "") : pathname;
  if (/^\/plugins\/[^/]+\/./.test(at)) {
    return null;
  }
  let best: { id: (typeof kSidebarPlaces)[number]["id"] | "settings"; length: number } | null = null;
  for (const place of [...kSidebarPlaces, kSettings]) {
    for (const start of [place.to, ...("owns" in place ? place.owns : [])]) {
      const fits = start === "/" ? at === "/" : isBelow(at, start);
      if (fits && start.length > (best?.length ?? -1)) {
        best = { id: place.id, length: start.length };
      }
    }
  }
  return best?.id ?? null;
}
