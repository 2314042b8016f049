import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";

import { type PluginMount, PluginMountContext } from "@/plugins/mount_context";

import { activePlugin } from "../plugins/fake_plugins";

/** A mount as slots make them; `end` releases what it owns. */
export function fakeMount(more: Partial<PluginMount> = {}): PluginMount & { end(): void } {
  const releases = new Set<() => void>();
  return {
    plugin: activePlugin(),
    slot: "navPanel",
    id: "main",
    instanceId: null,
    surface: null,
    hasEnded: () => false,
    own(release) {
      releases.add(release);
      return () => releases.delete(release) && release();
    },
    end: () => [...releases].forEach((release) => (releases.delete(release), release())),
    ...more,
  };
}

/** Renders inside of a plugin's mount, at a route of the window. */
export function renderInMount(children: ReactNode, { mount = fakeMount(), at = "/" }: { mount?: PluginMount; at?: string } = {}) {
  const wrap = (inner: ReactNode) => (
    <MemoryRouter initialEntries={[at]}>
      <PluginMountContext value={mount}>{inner}</PluginMountContext>
    </MemoryRouter>
  );
  const result = render(wrap(children));
  return { ...result, rerender: (next: ReactNode) => result.rerender(wrap(next)) };
}

/** Calls a hook in a mount and shows what it returns now. */
export function renderHookInMount<T>(useIt: () => T, options: Parameters<typeof renderInMount>[1] = {}) {
  const seen: { current: T } = { current: undefined as T };
  function Caller() {
    seen.current = useIt();
    return null;
  }
  const { rerender, unmount } = renderInMount(<Caller />, options);
  return { seen, unmount, rerender: () => rerender(<Caller />) };
}

/** An answer of the service. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

export const unknownRoute = () =>
  reply(404, { ok: false, error: { code: "unknown_route", message: "unknown route: GET /api/v1/threads" } });
