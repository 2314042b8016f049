import { act, screen } from "@testing-library/react";
import type { ComponentType } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { clearCrashes } from "@/plugins/crashes";
import { candidateKey, ExclusiveSlot, kBuiltin, orderCandidates } from "@/plugins/exclusive";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { writePreference } from "@/lib/preferences";

import { pluginWith, renderAt, resetWindow, showPlugins } from "../shell/fixtures";

afterEach(() => {
  resetWindow();
  clearNotifications();
  clearCrashes("bad");
});

interface Props {
  label: string;
}

const BuiltIn = ({ label }: Props) => <p>built-in {label}</p>;

function header(pluginId: string, component: ComponentType<never>) {
  return pluginWith(pluginId, (app) => app.slots.experimental_sidebarHeader({ id: "head", title: "Head", component: component as never }));
}

const show = () => renderAt("/", <ExclusiveSlot kind="sidebarHeaders" props={{ label: "x" }} original={BuiltIn} />);

test("without a replacement the window's own UI is shown", () => {
  show();
  expect(screen.getByText("built-in x")).toBeTruthy();
});

test("the first plugin in slot order replaces it, as soon as it is active", () => {
  show();
  act(() =>
    showPlugins(
      header("b", () => <p>from b</p>),
      header("a", ({ label }: Props) => <p>from a {label}</p>),
    ),
  );
  expect(screen.getByText("from a x")).toBeTruthy();
  expect(screen.queryByText("from b")).toBeNull();
  act(() => showPlugins());
  expect(screen.getByText("built-in x")).toBeTruthy();
});

test("the user's pin comes first, and pins the window's own as well", () => {
  showPlugins(
    header("a", () => <p>from a</p>),
    header("b", () => <p>from b</p>),
  );
  show();
  act(() => writePreference("exclusive", { sidebarHeaders: "b/head" }));
  expect(screen.getByText("from b")).toBeTruthy();
  act(() => writePreference("exclusive", { sidebarHeaders: kBuiltin }));
  expect(screen.getByText("built-in x")).toBeTruthy();
});

test("Original is the next candidate, then the window's own, with the same props", () => {
  const wrap = (name: string) =>
    function Wrapping({ Original, experimental_Original }: { Original: ComponentType; experimental_Original: ComponentType }) {
      expect(experimental_Original).toBe(Original);
      return (
        <div>
          {name}(<Original />)
        </div>
      );
    };
  showPlugins(header("a", wrap("a") as ComponentType<never>), header("b", wrap("b") as ComponentType<never>));
  const { container } = show();
  expect(container.textContent).toContain("a(b(built-in x))");
});

test("a replacement that crashes gives back the window's own at once, with one notice", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  showPlugins(
    header("bad", () => {
      throw new Error("broken header");
    }),
  );
  show();
  expect(screen.getByText("built-in x")).toBeTruthy();
  expect(notificationsNow().filter(({ pluginId }) => pluginId === "bad")).toHaveLength(1);
  expect(notificationsNow()[0]).toMatchObject({ kind: "error", title: "The bad stopped working" });
});

test("a replacement that crashes gives way to that of the next plugin, whose name the notice has", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  showPlugins(
    header("broken", () => {
      throw new Error("broken header");
    }),
    header("next", () => <p>from next</p>),
  );
  show();
  expect(screen.getByText("from next")).toBeTruthy();
  const [notice] = notificationsNow().filter(({ pluginId }) => pluginId === "broken");
  expect(notice?.description).toMatch(/is that of The next now\.$/);
});

test("a pin of what is not there leaves slot order", () => {
  const candidates = [header("a", () => null), header("b", () => null)].map((plugin) => ({
    plugin,
    registration: plugin.app.sidebarHeaders[0]!,
  }));
  expect(orderCandidates(candidates as never, "gone/head").map((one) => candidateKey(one))).toEqual(["a/head", "b/head"]);
});
