import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Composer, type ComposerProps } from "@/composer/composer";
import { showStarted } from "@/composer/sending";
import { bindRouter } from "@/lib/navigation";
import { notificationsNow } from "@/lib/notifications";
import { TooltipProvider } from "@/ui/tooltip";

import { field, kScope, prepareWindow, resetWindow, send, show } from "./fixtures";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

beforeEach(prepareWindow);
afterEach(resetWindow);

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

describe("a composer that is left while its message is on its way", () => {
  const kThread = { kind: "thread", threadId: "t1", projectId: null } as const;
  function sending() {
    let settle!: { arrive(): void; fail(failure: Error): void };
    const submit = vi.fn(() => new Promise<void>((arrive, fail) => (settle = { arrive, fail })));
    const shown = show({ scope: kThread, draftKey: "thread.t1", submit });
    return { submit, leave: () => shown.unmount(), settle: () => settle };
  }

  it("keeps no draft of what arrives", async () => {
    const { leave, settle } = sending();
    await userEvent.type(field(), "charge once{Enter}");
    leave();
    expect(sessionStorage.getItem("svc.draft.thread.t1")).toContain("charge once");
    settle().arrive();
    await waitFor(() => expect(sessionStorage.getItem("svc.draft.thread.t1")).toBeNull());
    show({ scope: kThread, draftKey: "thread.t1" });
    expect(field().value).toBe("");
  });

  it("is there again, still sending, and cannot send a second time", async () => {
    const { submit, leave, settle } = sending();
    await userEvent.type(field(), "charge once{Enter}");
    leave();
    const again = vi.fn(async () => undefined);
    show({ scope: kThread, draftKey: "thread.t1", submit: again });
    expect(field().readOnly).toBe(true);
    await userEvent.type(field(), "{Enter}");
    settle().arrive();
    await waitFor(() => expect(field().value).toBe(""));
    expect(submit).toHaveBeenCalledOnce();
    expect(again).not.toHaveBeenCalled();
    await userEvent.type(field(), "next{Enter}");
    expect(again).toHaveBeenCalledOnce();
  });

  it("keeps what did not arrive as a draft, and says so", async () => {
    const { leave, settle } = sending();
    await userEvent.type(field(), "charge once{Enter}");
    leave();
    settle().fail(new Error("The line is dead."));
    await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "error", title: "The message was not sent" }));
    show({ scope: kThread, draftKey: "thread.t1" });
    expect(field().value).toBe("charge once");
    expect(field().readOnly).toBe(false);
  });
});

describe("a thread that was started", () => {
  const at = (pathname: string) => {
    const navigate = vi.fn();
    bindRouter({ state: { location: { pathname, search: "", hash: "" } }, navigate });
    return navigate;
  };

  it("is shown where one still is, and told where one has gone elsewhere", () => {
    const navigate = at("/");
    showStarted("thr_1", "/");
    expect(navigate).toHaveBeenCalledWith("/threads/thr_1", {});
    const stays = at("/inbox");
    showStarted("thr_2", "/");
    expect(stays).not.toHaveBeenCalled();
    notificationsNow()[0]!.action!.run();
    expect(stays).toHaveBeenCalledWith("/threads/thr_2", {});
  });
});
