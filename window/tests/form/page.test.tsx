import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import FormPage from "@/pages/form";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";

let service: FakeService;

beforeEach(() => {
  service = new FakeService()
    .on("GET /mcp/forms/f1", () => ({
      form: {
        id: "f1",
        pluginId: "todo",
        client: "claude-code",
        rendererId: "ask",
        title: "Sure?",
        data: {},
        createdAt: Date.now(),
        expiresAt: Date.now() + 60_000,
      },
    }))
    .on("GET /plugins/todo", () => ({ plugin: { id: "todo", name: "Todo list" } }))
    .install();
});
afterEach(resetWindow);

const show = (id = "f1") => renderPage("/forms/:formId", FormPage, `/forms/${id}`);

describe("the page of a form", () => {
  it("shows what the plugin asks, and lets it be cancelled", async () => {
    service.on("POST /mcp/forms/f1/cancel", () => ({}));
    show();
    expect(await screen.findByText("Sure?")).toBeTruthy();
    expect(await screen.findByText(/Todo list cannot show its question/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Cancelled" })).toBeTruthy();
  });

  it("says which program asks", async () => {
    show();
    expect(await screen.findByRole("heading", { level: 1, name: "claude-code asks you" })).toBeTruthy();
  });

  it("says by itself that it was answered elsewhere", async () => {
    vi.useFakeTimers();
    try {
      show();
      await vi.waitFor(() => expect(screen.getByText("Sure?")).toBeTruthy());
      service.on("GET /mcp/forms/f1", () => {
        throw new Refusal(404, "not_found", "this form is not open, or not any more");
      });
      await act(() => vi.advanceTimersByTimeAsync(2500));
      expect(screen.getByRole("heading", { level: 1, name: "This form is not open" })).toBeTruthy();
      expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it("says that a form is not open", async () => {
    service.on("GET /mcp/forms/gone", () => {
      throw new Refusal(404, "not_found", "this form is not open, or not any more");
    });
    show("gone");
    expect(await screen.findByText("This form is not open")).toBeTruthy();
  });

  it("says that it is not open any more when somebody has answered it elsewhere", async () => {
    show();
    const cancel = await screen.findByRole("button", { name: "Cancel" });
    const gone = () => {
      throw new Refusal(404, "not_found", "this form is not open, or not any more");
    };
    service.on("GET /mcp/forms/f1", gone).on("POST /mcp/forms/f1/cancel", gone);
    await userEvent.click(cancel);
    expect(await screen.findByRole("heading", { level: 1, name: "This form is not open" })).toBeTruthy();
  });

  it("says why a form could not be read", async () => {
    service.on("GET /mcp/forms/f2", () => {
      throw new Refusal(500, "internal_error", "broken");
    });
    show("f2");
    expect(await screen.findByText("The form could not be read")).toBeTruthy();
  });
});
