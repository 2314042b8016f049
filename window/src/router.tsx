import type { ComponentType } from "react";
import { createBrowserRouter, Navigate, Outlet, type RouteObject, useLocation } from "react-router";

import { routerBasename } from "./lib/address";
import { SafeModeBanner } from "@/pages/plugins/safe_mode_banner";
import { RemovalBoundary } from "./plugins/removal_boundary";
import { Loading } from "./ui/spinner";

import { ContentLayout, type CrumbContext, type PageHandle } from "./shell/content_layout";
import { Layout } from "./shell/layout";
import { bindRouter, paths, routablePath } from "./lib/navigation";
import { type Crumb, crumbTo, kSettingsPlaces } from "./lib/places";
import { NewThreadLayout } from "./shell/new_thread_layout";
import { RouteError } from "./shell/route_error";

type Page = () => Promise<{ default: ComponentType }>;

// The fallback belongs to the page alone, so that the window around it is painted before the page's chunk arrived.
const page = (load: Page) => ({
  lazy: async () => ({ Component: (await load()).default }),
  hydrateFallbackElement: <Loading />,
});
const handle = (crumbs: PageHandle["crumbs"]): PageHandle => ({ crumbs });

function pluginCrumb({ params, records }: CrumbContext): Crumb {
  const id = params.pluginId ?? "";
  return { label: records?.find((record) => record.id === id)?.name ?? id, to: paths.pluginDetail(id) };
}

function pluginsCrumbs(search: URLSearchParams): Crumb[] {
  const about = search.get("about");
  if (about !== null) {
    return [crumbTo("plugins"), { label: "Browse", to: paths.browsePlugins() }, { label: about }];
  }
  return [crumbTo("plugins"), ...(search.get("view") === "browse" ? [{ label: "Browse" }] : [])];
}

function machineCrumb(hosts: CrumbContext["hosts"], id: string | undefined): Crumb {
  return id === undefined ? { label: "" } : { label: hosts?.find((host) => host.id === id)?.name ?? id, to: paths.machine(id) };
}

function filesCrumbs({ params, hosts, search }: CrumbContext): Crumb[] {
  const file = search.get("file");
  const folder = search.get("path") ?? undefined;
  return [
    crumbTo("machines"),
    machineCrumb(hosts, params.hostId),
    { label: "Files", to: paths.files({ hostId: params.hostId, folder }) },
    ...(file === null ? [] : [{ label: file }]),
  ];
}

function terminalCrumbs({ params, hosts, terminals }: CrumbContext): Crumb[] {
  const terminal = terminals?.find(({ id }) => id === params.terminalId);
  return [
    crumbTo("machines"),
    ...(terminal === undefined ? [] : [machineCrumb(hosts, terminal.hostId)]),
    { label: terminal?.title ?? "Terminal" },
  ];
}

/** An address that leads to another place; what it asks for there stays. */
function Elsewhere({ to }: { to: string }) {
  return <Navigate to={`${to}${useLocation().search}`} replace />;
}

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
    handle: handle(({ search }) => pluginsCrumbs(search)),
    ...page(() => import("./pages/plugins/installed")),
  },
  {
    path: "plugins/:pluginId",
    handle: handle((context) => [crumbTo("plugins"), pluginCrumb(context)]),
    ...page(() => import("./pages/plugins/detail")),
  },
  { path: "settings", handle: handle(() => [crumbTo("settings")]), ...page(settingsPage) },
  { path: "settings/plugins", element: <Elsewhere to={paths.plugins()} /> },
  {
    path: "settings/plugins/:pluginId",
    handle: handle((context) => [crumbTo("plugins"), pluginCrumb(context), { label: "Settings" }]),
    ...page(() => import("./pages/plugin_settings")),
  },
  {
    path: "settings/plugins/:pluginId/logs",
    handle: handle((context) => [crumbTo("plugins"), pluginCrumb(context), { label: "Logs" }]),
    ...page(() => import("./pages/logs/plugin")),
  },
  { path: "settings/log", handle: handle(() => [crumbTo("log")]), ...page(() => import("./pages/logs/server")) },
  { path: "threads", handle: handle(() => [crumbTo("threads")]), ...page(() => import("./pages/threads")) },
  { path: "inbox", handle: handle(() => [crumbTo("inbox")]), ...page(() => import("./pages/inbox")) },
  { path: "settings/machines", handle: handle(() => [crumbTo("machines")]), ...page(machinesPage) },
  {
    path: "settings/machines/:hostId",
    handle: handle(({ params, hosts }) => [crumbTo("machines"), machineCrumb(hosts, params.hostId)]),
    ...page(machinesPage),
  },
  { path: "forms/:formId", handle: handle(() => [{ label: "Form" }]), ...page(() => import("./pages/form")) },
  {
    path: "settings/agents",
    handle: handle(() => [crumbTo("settings"), crumbTo("agents")]),
    ...page(() => import("./pages/agents")),
  },
  { path: "settings/projects", handle: handle(() => [crumbTo("projects")]), ...page(projectsPage) },
  {
    path: "settings/projects/:projectId",
    handle: handle(({ params, projects }) => [
      crumbTo("projects"),
      { label: projects?.find(({ id }) => id === params.projectId)?.name ?? "Project" },
    ]),
    ...page(projectsPage),
  },
  {
    path: "environments/:environmentId",
    handle: handle(() => [crumbTo("projects"), { label: "Workspace" }]),
    ...page(() => import("./pages/environment")),
  },
  {
    path: "settings/:section",
    handle: handle(({ params }) => [
      crumbTo("settings"),
      { label: kSettingsPlaces.find(({ id }) => id === params.section)?.title ?? "Not found" },
    ]),
    ...page(settingsPage),
  },
  { path: "skills", handle: handle(() => [crumbTo("skills")]), ...page(skillsPage) },
  {
    path: "skills/:skillId",
    handle: handle(({ params }) => [crumbTo("skills"), { label: params.skillId?.split(":").at(-1) ?? "" }]),
    ...page(skillsPage),
  },
  { path: "files", handle: handle(() => [crumbTo("machines"), { label: "Files" }]), ...page(filesPage) },
  { path: "files/:hostId", handle: handle(filesCrumbs), ...page(filesPage) },
  { path: "terminals", handle: handle(() => [crumbTo("machines"), crumbTo("terminals")]), ...page(terminalsPage) },
  { path: "terminals/:terminalId", handle: handle(terminalCrumbs), ...page(terminalsPage) },
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
  const routable = routablePath(location.pathname);
  if (routable !== null) {
    history.replaceState(history.state, "", routable + location.search + location.hash);
  }
  const basename = routerBasename();
  if (`${location.pathname}/` === basename) {
    history.replaceState(history.state, "", basename + location.search + location.hash);
  }
  const router = createBrowserRouter(routes, { basename });
  bindRouter(router);
  return router;
}
