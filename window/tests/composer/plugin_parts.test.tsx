import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Composer as ComposerApi, ComposerView } from "#sdk/app/composer.js";
import { composersNow } from "@/composer/registry";
import { notificationsNow } from "@/lib/notifications";
import { publishPlugins } from "@/plugins/active";
import { kHooks } from "@/sdk_app/hooks";

import { field, kScope, plugin, prepareWindow, resetWindow, show } from "./fixtures";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

beforeEach(prepareWindow);
afterEach(resetWindow);

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
