import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Composer, type ComposerProps } from "@/composer/composer";
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
