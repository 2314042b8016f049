import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useEffect } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Composer as ComposerApi, ComposerView } from "#sdk/app/composer.js";
import { interpretPluginApp } from "#sdk/app_policy/collector.js";
import type { PluginAppBuilder } from "#sdk/app/definition.js";
import { queryClient } from "@/api/queries";
import { Composer, type ComposerProps } from "@/composer/composer";
import { composersNow } from "@/composer/registry";
import { publishPlugins } from "@/plugins/active";
import { SlotMount } from "@/plugins/slot_mount";
import { kHooks } from "@/sdk_app/hooks";
import { notificationsNow, clearNotifications } from "@/lib/notifications";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin } from "../plugins/fake_plugins";
import { reply } from "../sdk_app/mounts";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const kScope = { kind: "new-thread", projectId: null } as const;
const fetchMock = vi.fn<typeof fetch>();
let groups: unknown[] = [];

beforeEach(() => {
  sessionStorage.clear();
  clearNotifications();
  queryClient.clear();
  groups = [];
  fetchMock.mockImplementation(async (target) => {
    const { pathname } = new URL(target as URL);
    if (pathname.endsWith("/system/config")) {
      return reply(200, { ok: true, records: [] });
    }
    return pathname.endsWith("/contributions")
      ? reply(200, { ok: true, cliCommands: [], mentionProviders: [{ pluginId: "todo", id: "people", label: "People", triggers: ["@"] }] })
      : reply(200, { ok: true, groups });
  });
  vi.stubGlobal("fetch", fetchMock);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  publishPlugins([]);
  vi.unstubAllGlobals();
});

function plugin(setup: (app: PluginAppBuilder) => void, more: Parameters<typeof activePlugin>[1] = {}) {
  return activePlugin("todo", { app: interpretPluginApp({ __svcPluginApp: true, setup }, { pluginId: "todo" }), ...more });
}

function show(props: Partial<ComposerProps> = {}, beside?: ReactNode) {
  return render(
    <MemoryRouter>
      <TooltipProvider>
        <Composer scope={kScope} submit={async () => undefined} {...props} />
        {beside}
      </TooltipProvider>
    </MemoryRouter>,
  );
}
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const send = () => screen.getByRole("button", { name: "Send message" });

describe("the composer", () => {
  it("sends with Enter, starts a line with Shift and Enter, and is empty afterwards", async () => {
    const submit = vi.fn(async () => undefined);
    show({ submit });
    await userEvent.type(field(), "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(submit).toHaveBeenCalledExactlyOnceWith({ text: "one\ntwo", mentions: [], attachments: [], pluginInput: {} });
    await waitFor(() => expect(field().value).toBe(""));
  });

  it("does not send what an input method is still composing, nor an empty draft", async () => {
    const submit = vi.fn(async () => undefined);
    show({ submit });
    fireEvent.keyDown(field(), { key: "Enter" });
    await userEvent.type(field(), "に");
    fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
    // Safari's: the composition is over before its last key is told of.
    fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
    expect(submit).not.toHaveBeenCalled();
    expect(send().getAttribute("aria-disabled")).toBe("false");
  });

  it("keeps the draft and says why a message was not sent", async () => {
    show({ submit: () => Promise.reject(new Error("no agents here")) });
    await userEvent.type(field(), "hello");
    await userEvent.click(send());
    expect((await screen.findByRole("alert")).textContent).toContain("no agents here");
    expect(field().value).toBe("hello");
    await userEvent.type(field(), "!");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("has its draft again after the page was loaded again", async () => {
    const { unmount } = show({ draftKey: "k" });
    await userEvent.type(field(), "kept");
    unmount();
    show({ draftKey: "k", initialText: "other" });
    expect(field().value).toBe("kept");
  });

  it("takes up what a navigation asks, once, and loses nothing", async () => {
    const { rerender } = show({ initialText: "mine" });
    const again = (request: ComposerProps["request"]) =>
      rerender(
        <MemoryRouter>
          <TooltipProvider>
            <Composer scope={kScope} submit={async () => undefined} request={request} />
          </TooltipProvider>
        </MemoryRouter>,
      );
    again({ id: "1", initialPrompt: "Make a plugin" });
    expect(field().value).toBe("mine\n\nMake a plugin");
    expect(document.activeElement).toBe(field());
    await userEvent.clear(field());
    again({ id: "1", initialPrompt: "Make a plugin" });
    expect(field().value).toBe("");
    again({ id: "2", initialPrompt: "Make a plugin" });
    expect(field().value).toBe("Make a plugin");
  });
});

describe("what plugins add", () => {
  it("shows actions and banners that use the composer they are in", async () => {
    publishPlugins([
      plugin((app) =>
        app.composer.customize({
          id: "c",
          actions: [{ id: "a", component: () => <p>{kHooks.useComposerView().draft.text.length} letters</p> }],
          banners: [{ id: "b", component: () => <p>Said: {kHooks.useComposer().text}</p> }],
        }),
      ),
    ]);
    show();
    await userEvent.type(field(), "abc");
    expect(screen.getByText("3 letters")).toBeTruthy();
    expect(screen.getByText("Said: abc")).toBeTruthy();
  });

  it("leaves out customizations of other scopes and keeps the rest when one crashes", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    publishPlugins([
      plugin((app) => {
        app.composer.customize({ id: "t", scopes: ["thread"], banners: [{ id: "b", component: () => <p>thread only</p> }] });
        app.composer.customize({
          id: "c",
          actions: [
            {
              id: "bad",
              component: () => {
                throw new Error("boom");
              },
            },
            { id: "good", component: () => <p>good</p> },
          ],
        });
      }),
    ]);
    show();
    expect(screen.queryByText("thread only")).toBeNull();
    expect(screen.getByText("good")).toBeTruthy();
    expect(field()).toBeTruthy();
  });

  it("runs menu items with the composer, and tells of those that fail", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    publishPlugins([
      plugin((app) =>
        app.composer.customize({
          id: "c",
          plusMenu: [
            { id: "p", label: "Insert plan", run: ({ composer, view }) => composer.insert(`PLAN after ${view.draft.text}`) },
            { id: "f", label: "Fail", run: () => Promise.reject(new Error("no plan")) },
            { id: "d", label: "Disabled", disabled: true, run: () => undefined },
          ],
        }),
      ),
    ]);
    show({ initialText: "x" });
    const open = () => userEvent.click(screen.getByRole("button", { name: "Add to message" }));
    await open();
    expect(screen.getByRole("menuitem", { name: "Disabled" }).getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(screen.getByRole("menuitem", { name: "Insert plan" }));
    expect(field().value).toBe("xPLAN after x");
    await open();
    await userEvent.click(screen.getByRole("menuitem", { name: "Fail" }));
    await waitFor(() => expect(notificationsNow()).toMatchObject([{ kind: "error", pluginId: "todo", description: "no plan" }]));
  });

  it("asks whether an item is disabled while the menu is open, and disables one that throws", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    logged.mockClear();
    const disabled = vi.fn((view: ComposerView) => view.draft.isEmpty);
    publishPlugins([
      plugin((app) =>
        app.composer.customize({
          id: "c",
          plusMenu: [
            { id: "s", label: "Shorten", disabled, run: () => undefined },
            {
              id: "t",
              label: "Throws",
              disabled: () => {
                throw new Error("no idea");
              },
              run: () => undefined,
            },
          ],
        }),
      ),
    ]);
    show();
    expect(disabled).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("button", { name: "Add to message" }));
    const item = (name: string) => screen.getByRole("menuitem", { name }).getAttribute("aria-disabled");
    expect([item("Shorten"), item("Throws")]).toEqual(["true", "true"]);
    act(() => composersNow()[0]!.setText("a long text"));
    expect([item("Shorten"), item("Throws")]).toEqual([null, "true"]);
    expect(disabled).toHaveBeenLastCalledWith(
      expect.objectContaining({ scope: kScope, draft: { text: "a long text", isEmpty: false, attachmentCount: 0 } }),
    );
    expect(logged).toHaveBeenCalledExactlyOnceWith('todo: disabled of the menu item "t" threw: no idea');
  });

  it("has files alone in its menu while nobody adds to it", async () => {
    show();
    await userEvent.click(screen.getByRole("button", { name: "Add to message" }));
    expect(screen.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual([
      "Attach filesUp to 49 files of 23.8 MiB; pictures of 9.5 MiB",
    ]);
  });

  it("colours what effects match and tells what the draft became", () => {
    const onDraftChange = vi.fn();
    publishPlugins([
      plugin((app) =>
        app.composer.customize({
          id: "c",
          richText: {
            effects: [
              {
                id: "e",
                match: (text) => [...text.matchAll(/TODO/g)].map(({ index }) => ({ start: index, end: index + 4 })),
                className: "wavy",
              },
            ],
            onDraftChange,
          },
        }),
      ),
    ]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { container } = show();
    fireEvent.change(field(), { target: { value: "a TODO b" } });
    const marked = container.querySelector(".wavy")!;
    expect([marked.textContent, marked.getAttribute("data-svc-plugin")]).toEqual(["TODO", "todo"]);
    expect(marked.hasAttribute("data-svc-plugin-decoration")).toBe(true);
    vi.advanceTimersByTime(249);
    expect(onDraftChange).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    const [draft, view] = onDraftChange.mock.lastCall!;
    expect(draft).toEqual({ text: "a TODO b", mentions: [] });
    expect(view).toMatchObject({ scope: kScope, draft: { text: "a TODO b", isEmpty: false }, run: { isRunning: false } });
    act(() => composersNow()[0]!.insert([{ type: "mention", provider: "people", id: "7", label: "Ada" }], { at: "start" }));
    vi.advanceTimersByTime(250);
    expect(onDraftChange).toHaveBeenCalledTimes(2);
    expect(onDraftChange.mock.lastCall![0]).toEqual({
      text: "@Adaa TODO b",
      mentions: [{ from: 0, to: 4, provider: "people", id: "7", label: "Ada" }],
    });
  });

  it("takes the ranges of effects as from and to, too", () => {
    publishPlugins([
      plugin((app) =>
        app.composer.customize({ id: "c", richText: { effects: [{ id: "e", match: () => [{ from: 2, to: 6 }], className: "wavy" }] } }),
      ),
    ]);
    const { container } = show({ initialText: "a TODO b" });
    expect(container.querySelector(".wavy")!.textContent).toBe("TODO");
  });

  it("runs composer commands by their shortcut in the composer that holds the caret", async () => {
    const run = vi.fn(({ composer }: { composer: ComposerApi }) => composer.updateText((text) => text.toUpperCase()));
    publishPlugins([
      plugin((app) =>
        app.composer.experimental_registerCommand({
          id: "up",
          title: "Shout",
          defaultShortcut: { key: "u", control: true, alt: true },
          run,
        }),
      ),
    ]);
    show({ initialText: "quiet" });
    fireEvent.keyDown(document.body, { key: "u", ctrlKey: true, altKey: true });
    expect(run).not.toHaveBeenCalled();
    fireEvent.keyDown(field(), { key: "u", ctrlKey: true, altKey: true });
    expect(field().value).toBe("QUIET");
  });
});

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

describe("mentions", () => {
  const people = [
    {
      pluginId: "todo",
      providerId: "people",
      label: "People",
      items: [
        { itemId: "1", title: "Ada", subtitle: "Countess", icon: null },
        { itemId: "2", title: "Alan", subtitle: null, icon: null },
      ],
    },
  ];

  it("are found while typing, chosen with the keyboard, and sent with where they stand", async () => {
    groups = people;
    const submit = vi.fn(async () => undefined);
    show({ submit });
    await waitFor(() => expect(fetchMock).toHaveBeenCalled());
    await userEvent.type(field(), "hi @");
    expect(await screen.findAllByText("Type to search People")).not.toEqual([]);
    await userEvent.type(field(), "a");
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual(["AdaCountess", "Alan"]);
    expect(field().getAttribute("aria-activedescendant")).toBe(options[0]!.id);
    await userEvent.keyboard("{ArrowDown}");
    expect(field().getAttribute("aria-activedescendant")).toBe(options[1]!.id);
    await userEvent.keyboard("{ArrowDown}{Enter}");
    expect(field().value).toBe("hi @Ada ");
    expect(submit).not.toHaveBeenCalled();
    await userEvent.keyboard("{Enter}");
    expect(submit).toHaveBeenCalledWith({
      text: "hi @Ada ",
      mentions: [{ pluginId: "todo", provider: "people", id: "1", label: "Ada", start: 3, end: 7 }],
      attachments: [],
      pluginInput: {},
    });
  });

  it("go away with Escape, and Enter sends again", async () => {
    groups = people;
    const submit = vi.fn(async () => undefined);
    show({ submit });
    await waitFor(() => expect(fetchMock).toHaveBeenCalled());
    await userEvent.type(field(), "@a");
    await screen.findAllByRole("option");
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("option")).toBeNull();
    await userEvent.keyboard("{Enter}");
    expect(submit).toHaveBeenCalledOnce();
  });

  it("say when there is nothing", async () => {
    show();
    await waitFor(() => expect(fetchMock).toHaveBeenCalled());
    await userEvent.type(field(), "@zz");
    expect(await screen.findAllByText("Nothing found")).not.toEqual([]);
  });
});
