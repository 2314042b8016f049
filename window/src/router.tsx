import type { ComponentType } from "react";
import { createBrowserRouter, Outlet, type RouteObject } from "react-router";

import { routerBasename } from "./lib/address";
import { SafeModeBanner } from "@/pages/plugins/safe_mode_banner";
import { RemovalBoundary } from "./plugins/removal_boundary";
import { Loading } from "./ui/spinner";

import { ContentLayout, type CrumbContext, type PageHandle } from "./shell/content_layout";
import { Layout } from "./shell/layout";
import { bindRouter } from "./lib/navigation";
import { NewThreadLayout } from "./shell/new_thread_layout";
import { RouteError } from "./shell/route_error";
import type { Crumb } from "./shell/title_bar";

type Page = () => Promise<{ default: ComponentType }>;

// The fallback belongs to the page alone, so that the window around it is painted before the page's chunk arrived.
const page = (load: Page) => ({
  lazy: async () => ({ Component: (await load()).default }),
  hydrateFallbackElement: <Loading />,
});
const handle = (crumbs: PageHandle["crumbs"]): PageHandle => ({ crumbs });

const kSettings: Crumb = { label: "Settings", to: "/settings" };
const kPluginSettings: Crumb = { label: "Plugins", to: "/settings/plugins" };

function pluginName({ params, records }: CrumbContext): string {
  const id = params.pluginId ?? "";
  return records?.find((record) => record.id === id)?.name ?? id;
}

const kSectionTitles: Record<string, string> = {
  general: "General",
  appearance: "Appearance",
  shortcuts: "Keyboard shortcuts",
  plugins: "Plugins",
  machines: "Machines",
  agents: "Agents & MCP",
  about: "About",
};

const settingsPage: Page = () => import("./pages/settings");
const machinesPage: Page = () => import("./pages/machines");
const projectsPage: Page = () => import("./pages/projects");
const skillsPage: Page = () => import("./pages/skills");
const terminalsPage: Page = () => import("./pages/terminals");
const filesPage: Page = () => import("./pages/files");
const threadPage: Page = () => import("./pages/thread");

const contentRoutes: RouteObject[] = [
  {
    path: "plugins",
    handle: handle(({ search }) =>
      search.get("view") === "browse" ? [{ label: "Plugins", to: "/plugins" }, { label: "Browse" }] : [{ label: "Plugins" }],
    ),
    ...page(() => import("./pages/plugins/installed")),
  },
  {
    path: "plugins/:pluginId",
    handle: handle((context) => [{ label: "Plugins", to: "/plugins" }, { label: pluginName(context) }]),
    ...page(() => import("./pages/plugins/detail")),
  },
  { path: "settings", handle: handle(() => [{ label: "Settings" }]), ...page(settingsPage) },
  { path: "settings/plugins", handle: handle(() => [kSettings, { label: "Plugins" }]), ...page(settingsPage) },
  {
    path: "settings/plugins/:pluginId",
    handle: handle((context) => [kSettings, kPluginSettings, { label: pluginName(context) }]),
    ...page(() => import("./pages/plugin_settings")),
  },
  {
    path: "settings/plugins/:pluginId/logs",
    handle: handle((context) => [
      kSettings,
      kPluginSettings,
      { label: pluginName(context), to: `/settings/plugins/${encodeURIComponent(context.params.pluginId ?? "")}` },
      { label: "Logs" },
    ]),
    ...page(() => import("./pages/plugin_logs")),
  },
  { path: "settings/machines", handle: handle(() => [kSettings, { label: "Machines" }]), ...page(machinesPage) },
  {
    path: "settings/machines/:hostId",
    handle: handle(({ params, hosts }) => [
      kSettings,
      { label: "Machines", to: "/settings/machines" },
      { label: hosts?.find(({ id }) => id === params.hostId)?.name ?? params.hostId ?? "" },
    ]),
    ...page(machinesPage),
  },
  { path: "forms/:formId", handle: handle(() => [{ label: "Form" }]), ...page(() => import("./pages/form")) },
  { path: "settings/agents", handle: handle(() => [kSettings, { label: "Agents & MCP" }]), ...page(() => import("./pages/agents")) },
  { path: "settings/projects", handle: handle(() => [kSettings, { label: "Projects" }]), ...page(projectsPage) },
  {
    path: "settings/projects/:projectId",
    handle: handle(() => [kSettings, { label: "Projects", to: "/settings/projects" }, { label: "Project" }]),
    ...page(projectsPage),
  },
  {
    path: "settings/:section",
    handle: handle(({ params }) => [kSettings, { label: kSectionTitles[params.section ?? ""] ?? "Not found" }]),
    ...page(settingsPage),
  },
  { path: "skills", handle: handle(() => [{ label: "Skills" }]), ...page(skillsPage) },
  {
    path: "skills/:skillId",
    handle: handle(({ params }) => [{ label: "Skills", to: "/skills" }, { label: params.skillId?.split(":").at(-1) ?? "" }]),
    ...page(skillsPage),
  },
  { path: "files", handle: handle(() => [{ label: "Files" }]), ...page(filesPage) },
  {
    path: "files/:hostId",
    handle: handle(({ params, hosts, search }) => {
      const name = hosts?.find(({ id }) => id === params.hostId)?.name ?? params.hostId ?? "";
      const file = search.get("file");
      return file === null ? [{ label: "Files" }, { label: name }] : [{ label: "Files" }, { label: name }, { label: file }];
    }),
    ...page(filesPage),
  },
  { path: "terminals", handle: handle(() => [{ label: "Terminals" }]), ...page(terminalsPage) },
  {
    path: "terminals/:terminalId",
    handle: handle(({ params, terminals }) => [
      { label: "Terminals", to: "/terminals" },
      { label: terminals?.find(({ id }) => id === params.terminalId)?.title ?? "Terminal" },
    ]),
    ...page(terminalsPage),
  },
  { path: "*", handle: handle(() => [{ label: "Page not found" }]), ...page(() => import("./pages/not_found")) },
];

const routes: RouteObject[] = [
  {
    element: <Layout banner={<SafeModeBanner />} />,
    errorElement: <RouteError />,
    children: [
      {
        element: (
          <RemovalBoundary>
            <Outlet />
          </RemovalBoundary>
        ),
        errorElement: <RouteError />,
        children: [
          { element: <NewThreadLayout />, children: [{ index: true, ...page(() => import("./pages/home")) }] },
          { element: <ContentLayout />, errorElement: <RouteError />, children: contentRoutes },
          { path: "plugins/:pluginId/:panelPath/*", ...page(() => import("./pages/plugin_page")) },
          { path: "threads/:threadId", ...page(threadPage) },
          { path: "projects/:projectId/threads/:threadId", ...page(threadPage) },
        ],
      },
    ],
  },
];

/** The window's router, also for navigation outside of React. */
export function createRouter() {
  const router = createBrowserRouter(routes, { basename: routerBasename() });
  bindRouter(router);
  return router;
}
