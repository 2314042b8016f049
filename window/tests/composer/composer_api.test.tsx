import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { type ReactNode, useEffect } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Composer as ComposerApi } from "#sdk/app/composer.js";
import { Composer } from "@/composer/composer";
import { composersNow } from "@/composer/registry";
import { publishPlugins } from "@/plugins/active";
import { SlotMount } from "@/plugins/slot_mount";
import { kHooks } from "@/sdk_app/hooks";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin } from "../plugins/fake_plugins";
import { field, kScope, plugin, prepareWindow, resetWindow, show } from "./fixtures";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

beforeEach(prepareWindow);
afterEach(resetWindow);

describe("a handle that outlives its composer", () => {
  it("does nothing, and sends nothing", async () => {
    let kept: ComposerApi | undefined;
    publishPlugins([
      plugin((app) =>
        app.composer.customize({
          id: "c",
          actions: [
            {
              id: "a",
              component: () => {
                kept = kHooks.useComposer();
                return null;
              },
            },
          ],
        }),
      ),
    ]);
    const submit = vi.fn(async () => undefined);
    const submitted = vi.fn();
    const { unmount } = show({ submit, initialText: "left" });
    await waitFor(() => expect(kept?.text).toBe("left"));
    const [model] = composersNow();
    unmount();
    kept!.setText("changed");
    kept!.updateText(submitted);
    kept!.setInputLock(true);
    kept!.setTextEffect({ className: "wavy" });
    kept!.experimental_setPluginInput({ a: 1 });
    kept!.onSubmitted(submitted)();
    expect(await kept!.submit()).toBe(false);
    expect(await kept!.experimental_submit()).toBe(false);
    expect(submit).not.toHaveBeenCalled();
    expect(submitted).not.toHaveBeenCalled();
    expect(model!.state).toMatchObject({ text: "left", locks: [], effects: [], pluginInput: {} });
  });
});

describe("locks and effects of a mount", () => {
  let api: ComposerApi;
  const Holder = () => {
    api = kHooks.useComposer();
    return <p>holder</p>;
  };
  const holder = (active = activePlugin()) => <SlotMount plugin={active} slot="homepageSection" id="h" component={Holder} props={{}} />;

  it("hold while it is there and end with it", async () => {
    const { container, rerender } = show({ initialText: "text" }, holder());
    act(() => {
      api.setInputLock(true);
      api.setTextEffect({ className: "glow" });
    });
    expect(field().readOnly).toBe(true);
    expect(container.querySelector(".glow[data-svc-plugin-decoration]")?.textContent).toBe("text");
    expect(screen.getByText("Todo has locked the input")).toBeTruthy();
    expect(await api.submit()).toBe(false);
    expect(api.isSubmittingBlocked).toBe(true);
    rerender(
      <MemoryRouter>
        <TooltipProvider>
          <Composer scope={kScope} submit={async () => undefined} />
        </TooltipProvider>
      </MemoryRouter>,
    );
    await waitFor(() => expect(field().readOnly).toBe(false));
    expect(container.querySelector(".glow")).toBeNull();
  });

  it("end when the plugin is replaced", async () => {
    const { rerender } = show({}, holder());
    act(() => api.setInputLock(true));
    expect(field().readOnly).toBe(true);
    rerender(
      <MemoryRouter>
        <TooltipProvider>
          <Composer scope={kScope} submit={async () => undefined} />
          {holder(activePlugin("todo", { generation: 2 }))}
        </TooltipProvider>
      </MemoryRouter>,
    );
    await waitFor(() => expect(field().readOnly).toBe(false));
  });

  it("have the same methods from render to render, with and without a composer", () => {
    show({}, holder());
    const before = api;
    act(() => api.setText("more"));
    expect(api).not.toBe(before);
    expect(api.text).toBe("more");
    for (const name of Object.keys(api) as (keyof ComposerApi)[]) {
      if (typeof api[name] === "function") {
        expect(api[name], name).toBe(before[name]);
      }
    }
    expect(api.setThreadRowStatus({ icon: "Check" })).toBeUndefined();
    cleanup();
    render(<MemoryRouter>{holder()}</MemoryRouter>);
    const inert = api;
    cleanup();
    render(<MemoryRouter>{holder()}</MemoryRouter>);
    expect([api.submit, api.onSubmitted, api.setThreadRowStatus]).toEqual([inert.submit, inert.onSubmitted, inert.setThreadRowStatus]);
    expect(api.setThreadRowStatus(null)).toBeUndefined();
  });

  it("may be set and taken back in an effect that depends on the composer", () => {
    const effects = vi.fn();
    const Locking = () => {
      const composer = kHooks.useComposer();
      useEffect(() => {
        effects();
        composer.setInputLock(true);
        composer.setTextEffect({ className: "glow" });
        composer.experimental_setPluginInput({ some: ["value"] });
        return () => {
          composer.setInputLock(false);
          composer.setTextEffect(null);
          composer.experimental_setPluginInput(null);
        };
      }, [composer]);
      return <p>holder</p>;
    };
    show({ initialText: "text" }, <SlotMount plugin={activePlugin()} slot="homepageSection" id="h" component={Locking} props={{}} />);
    expect(field().readOnly).toBe(true);
    // Before the composer was there, when it came, and because the input is locked now.
    expect(effects.mock.calls.length).toBeLessThanOrEqual(3);
    const before = effects.mock.calls.length;
    act(() => composersNow()[0]!.setText("other"));
    expect(effects.mock.calls.length - before).toBe(1);
  });

  it("do not render who shows something else of the composer", () => {
    const views = vi.fn();
    const all = vi.fn();
    const Shown = () => {
      views(kHooks.useComposerView());
      return <p>view</p>;
    };
    const All = () => {
      all(kHooks.useComposers());
      return <p>all</p>;
    };
    const mountOf = (id: string, component: () => ReactNode) => (
      <SlotMount plugin={activePlugin()} slot="homepageSection" id={id} component={component} props={{}} />
    );
    show({ initialText: "text" }, [<div key="v">{mountOf("v", Shown)}</div>, <div key="a">{mountOf("a", All)}</div>]);
    const composer = composersNow()[0]!;
    act(() => composer.select({ start: 0, end: 0 }));
    views.mockClear();
    all.mockClear();
    // The caret is no part of a view, effects and input are of neither.
    act(() => composer.select({ start: 2, end: 2 }));
    expect(views).not.toHaveBeenCalled();
    expect(all).toHaveBeenCalledOnce();
    act(() => composer.setEffect({ pluginId: "x", name: "X" }, { className: "glow" }));
    act(() => composer.setPluginInput("x", { a: 1 }));
    expect(views).not.toHaveBeenCalled();
    expect(all).toHaveBeenCalledOnce();
    act(() => composer.setText("more"));
    expect(views).toHaveBeenCalledOnce();
  });

  it("find the composer of the route, and an inert one where there is none", async () => {
    show({}, holder());
    expect(api.key).toBe(composersNow()[0]!.key);
    cleanup();
    render(<MemoryRouter>{holder()}</MemoryRouter>);
    api.setText("into nothing");
    expect([api.text, api.isEmpty, await api.submit()]).toEqual(["", true, false]);
    expect(composersNow()).toEqual([]);
  });
});
