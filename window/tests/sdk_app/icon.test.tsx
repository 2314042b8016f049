import { cleanup, render, waitFor } from "@testing-library/react";
import { Profiler } from "react";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { queryClient, queryKeys } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { diagnosticsNow, forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { Icon } from "@/sdk_app/icon";
import { kIconAliases } from "@/ui/icon_aliases";
import { findLucideImport, iconKey } from "@/ui/lucide";

import { activePlugin, kEmptyApp, record } from "../plugins/fake_plugins";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

beforeAll(() => findLucideImport("puzzle").then((load) => load?.()), 60_000);
beforeEach(() => {
  queryClient.setQueryData(queryKeys.plugins, [
    record("todo", "h", { icons: { spark: "/api/v1/plugins/todo/assets/icons/spark.svg?h=1" } }),
  ]);
  updateDiagnostics("todo", { state: "active" });
});
afterEach(() => {
  cleanup();
  publishPlugins([]);
  forgetDiagnostics("todo");
  queryClient.clear();
});

const svgOf = (container: HTMLElement) => container.querySelector("svg")!;
const drawn = (container: HTMLElement) => waitFor(() => expect(svgOf(container).childElementCount).toBeGreaterThan(0), { timeout: 5000 });

describe("Icon", () => {
  it.each(["ListTodo", "list-todo", "ListTodoIcon", "LucideListTodo"])("knows lucide's %s", async (name) => {
    const { container } = render(<Icon name={name} />);
    await drawn(container);
    expect(svgOf(container).classList).toContain("lucide-list-todo");
  });

  it("keeps the place of what is still loading, and moves nothing", async () => {
    const { container } = render(<Icon name="AlarmClock" className="size-6" size={24} />);
    const facts = () => ["width", "height", "aria-hidden"].map((name) => svgOf(container).getAttribute(name));
    const before = facts();
    expect(svgOf(container).getAttribute("class")).toContain("size-6");
    expect(before).toEqual(["24", "24", "true"]);
    await drawn(container);
    expect(facts()).toEqual(before);
    expect(svgOf(container).getAttribute("class")).toContain("size-6");
  });

  it("renders nothing anew when another icon arrives", async () => {
    let renders = 0;
    const first = render(
      <Profiler id="icon" onRender={() => (renders += 1)}>
        <Icon name="Anchor" />
      </Profiler>,
    );
    await drawn(first.container);
    const before = renders;
    const second = render(<Icon name="Telescope" />);
    await drawn(second.container);
    expect(renders).toBe(before);
  });

  it("knows names of other sets", async () => {
    const { container } = render(<Icon name="GridView" />);
    await drawn(container);
    expect(svgOf(container).classList).toContain("lucide-layout-grid");
  });

  it("is an image when it has a name", async () => {
    const { getByRole } = render(<Icon name="Heart" aria-label="Liked" />);
    await waitFor(() => expect(getByRole("img", { name: "Liked" }).childElementCount).toBeGreaterThan(0));
  });

  it("shows the generic icon for an unknown name and warns whoever named it", async () => {
    const { container } = render(<Icon name="NoSuchThing" pluginId="todo" />);
    await drawn(container);
    expect(svgOf(container).classList).toContain("lucide-puzzle");
    expect(diagnosticsNow("todo")?.warnings).toEqual([expect.stringContaining('"NoSuchThing"')]);
  });

  it("shows an icon file of a plugin in the colour of the text", () => {
    const { container } = render(<Icon name="todo/spark" />);
    expect(svgOf(container).style.maskImage).toContain("/api/v1/plugins/todo/assets/icons/spark.svg?h=1");
    expect(svgOf(container).querySelector("rect")?.getAttribute("fill")).toBe("currentColor");
  });

  it("warns for an icon file that is not declared", async () => {
    const { container } = render(<Icon name="todo/nope" pluginId="todo" />);
    await drawn(container);
    expect(diagnosticsNow("todo")?.warnings).toHaveLength(1);
  });

  it("shows the first plugin's icon where several registered a name, before lucide's", () => {
    const plugin = (id: string) =>
      activePlugin(id, {
        app: {
          ...kEmptyApp,
          icons: [{ name: "Heart", component: ({ className }: { className?: string }) => <i className={className}>{id}</i> }],
        } as never,
      });
    publishPlugins([plugin("b"), plugin("a")]);
    const { container } = render(<Icon name="Heart" className="size-4" />);
    expect(container.querySelector("i")?.textContent).toBe("a");
    expect(container.querySelector("i")?.className).toBe("size-4");
  });
});

describe("aliases", () => {
  it("lead to icons that exist", async () => {
    const wrong: string[] = [];
    for (const [name, target] of Object.entries(kIconAliases)) {
      if (iconKey(name) !== name || (await findLucideImport(iconKey(target))) === undefined) {
        wrong.push(name);
      }
    }
    expect(wrong).toEqual([]);
  });
});
