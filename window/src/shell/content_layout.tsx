import { Suspense, useRef } from "react";
import { Outlet, useLocation, useMatches } from "react-router";

import { type Host, useHosts } from "@/api/hosts";
import { usePlugins } from "@/api/queries";
import { type Project, useProjects } from "@/api/projects";
import type { PluginRecord } from "@/api/records";
import { type Terminal, useTerminals } from "@/api/terminals";
import { RemovalBoundary } from "@/plugins/removal_boundary";
import { Loading } from "@/ui/spinner";

import { usePageTitle } from "./page_title";
import { kMainId } from "@/lib/main_region";
import type { Crumb } from "@/lib/places";
import { useScrollMemory } from "./scroll_memory";
import { Breadcrumbs, TitleBar } from "./title_bar";

export interface CrumbContext {
  params: Readonly<Record<string, string | undefined>>;
  search: URLSearchParams;
  records: readonly PluginRecord[] | undefined;
  hosts: readonly Host[] | undefined;
  terminals: readonly Terminal[] | undefined;
  projects: readonly Project[] | undefined;
}

/** The `handle` of routes inside of `ContentLayout`. */
export interface PageHandle {
  crumbs(context: CrumbContext): Crumb[];
}

/** The page itself, then what it is of; the collection only where nothing else is named. */
export function titleOf(crumbs: readonly Crumb[]): string {
  return (crumbs.length > 1 ? crumbs.slice(1) : crumbs)
    .map(({ label }) => label)
    .reverse()
    .join(" · ");
}

/** Pages that scroll below a title bar with the way to them. */
export function ContentLayout() {
  const main = useRef<HTMLElement>(null);
  useScrollMemory(main);
  const match = useMatches().at(-1);
  const { search } = useLocation();
  const records = usePlugins().data;
  const hosts = useHosts({ enabled: false }).data;
  const terminals = useTerminals({ enabled: false }).data;
  const projects = useProjects({ enabled: false }).data;
  const handle = match?.handle as PageHandle | undefined;
  const context = { params: match?.params ?? {}, search: new URLSearchParams(search), records, hosts, terminals, projects };
  const crumbs = handle?.crumbs(context) ?? [];
  usePageTitle(titleOf(crumbs));
  return (
    <>
      <TitleBar>
        <Breadcrumbs crumbs={crumbs} />
      </TitleBar>
      <main ref={main} id={kMainId} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
        <RemovalBoundary>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </RemovalBoundary>
      </main>
    </>
  );
}
