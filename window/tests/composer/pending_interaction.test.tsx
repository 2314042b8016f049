import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { PluginPendingInteractionProps } from "#sdk/app/slots/thread.js";
import { queryClient, queryKeys } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { answerProblem, PendingInteraction, timeLeftText, type PendingInteractionProps } from "@/composer/pending_interaction";
import { publishPlugins } from "@/plugins/active";
import { clearCrashes } from "@/plugins/crashes";
import { forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin, kEmptyApp, record } from "../plugins/fake_plugins";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const kInteraction = {
  id: "int_1",
  threadId: "t1",
  status: "pending",
  pluginId: "todo",
  rendererId: "ask",
  title: "Deploy now?",
  data: { target: "prod" },
  createdAt: 1000,
  expiresAt: null,
} as const;

function Ask({ interaction, submit, cancel }: PluginPendingInteractionProps) {
  return (
    <div>
      <p>{JSON.stringify(interaction)}</p>
      <button onClick={() => void submit({ yes: true }).catch(() => undefined)}>Yes</button>
      <button onClick={() => void submit(new Date() as never).catch(() => undefined)}>Odd</button>
      <button onClick={() => void cancel()}>No</button>
    </div>
  );
}

function publish(component: (props: PluginPendingInteractionProps) => React.ReactNode = Ask) {
  publishPlugins([activePlugin("todo", { app: { ...kEmptyApp, pendingInteractions: [{ id: "ask", component }] } as never })]);
}

function show(props: Partial<PendingInteractionProps> = {}) {
  const given = { respond: vi.fn(async () => undefined), cancel: vi.fn(async () => undefined), ...props };
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <PendingInteraction interaction={kInteraction} pluginName="Todo" surface={{ projectId: null, threadId: "t1" }} {...given} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return given;
}

const know = (more: Partial<PluginRecord> = {}) =>
  queryClient.setQueryData(queryKeys.plugins, [record("todo", "h1", { enabled: true, ...more })]);

beforeEach(() => {
  know();
  publish();
});
afterEach(() => {
  cleanup();
  publishPlugins([]);
  clearCrashes("todo");
  forgetDiagnostics("todo");
  queryClient.clear();
  vi.useRealTimers();
});

describe("PendingInteraction", () => {
  it("shows who asks what, and hands the payload to the plugin's form", () => {
    show();
    expect(screen.getByRole("heading", { name: "Deploy now?" })).toBeTruthy();
    expect(screen.getByText("Todo")).toBeTruthy();
    const { id, threadId, title, createdAt, expiresAt, data: payload } = kInteraction;
    expect(screen.getByText(JSON.stringify({ id, threadId, title, payload, createdAt, expiresAt }))).toBeTruthy();
  });

  it("disables the form while an answer is on its way, and shows why it did not arrive", async () => {
    let refuse: (failure: Error) => void = () => undefined;
    const { respond } = show({ respond: vi.fn(() => new Promise<void>((_, no) => (refuse = no))) });
    await userEvent.click(screen.getByText("Yes"));
    expect(respond).toHaveBeenCalledExactlyOnceWith({ yes: true });
    const form = screen.getByText("Yes").closest("fieldset")!;
    expect(form.disabled).toBe(true);
    await act(async () => refuse(new Error("the thread has stopped")));
    expect(screen.getByRole("alert").textContent).toContain("the thread has stopped");
    expect(form.disabled).toBe(false);
  });

  it("refuses an answer that is not JSON before it is sent", async () => {
    const { respond } = show();
    await userEvent.click(screen.getByText("Odd"));
    expect((await screen.findByRole("alert")).textContent).toContain("Date");
    expect(respond).not.toHaveBeenCalled();
  });

  it("can be declined, whatever the plugin's form offers, with the last key stop of the card", async () => {
    publish(({ submit }) => <button onClick={() => void submit(1)}>Only this</button>);
    const { cancel } = show();
    await userEvent.tab();
    expect(document.activeElement?.textContent).toBe("Only this");
    await userEvent.tab();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Close without answering" }));
    await userEvent.keyboard("{Enter}");
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("is not declined while an answer is on its way, and keeps the focus", async () => {
    const { cancel } = show({ respond: () => new Promise<void>(() => undefined) });
    await userEvent.click(screen.getByText("Yes"));
    const close = screen.getByRole("button", { name: "Close without answering" });
    await userEvent.click(close);
    expect(document.activeElement).toBe(close);
    expect(cancel).not.toHaveBeenCalled();
  });

  it("says why the service did not take that it is declined", async () => {
    show({ cancel: () => Promise.reject(new Error("it was answered already")) });
    await userEvent.click(screen.getByRole("button", { name: "Close without answering" }));
    expect((await screen.findByRole("alert")).textContent).toContain("it was answered already");
  });

  it("offers to cancel when nothing can show the question, once", async () => {
    publishPlugins([]);
    know({ enabled: false });
    const { cancel } = show();
    expect(screen.getByText(/Todo cannot show its question in this window: the plugin is switched off/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button"));
    expect(cancel).toHaveBeenCalledOnce();
  });

  it.each([
    ["an app entry that failed", () => updateDiagnostics("todo", { state: "failed" }), /pages could not be loaded here/],
    ["a plugin that stopped", () => know({ status: "error" }), /the plugin is not running/],
    ["an app entry that is still loaded", () => undefined, /^Loading the form of Todo…$/],
  ])("says what the form of %s waits for", (_, arrange, text) => {
    publishPlugins([]);
    arrange();
    show();
    expect(screen.getByText(text)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Cancel" })).toBeTruthy();
  });

  it("names the form that a plugin does not have", () => {
    publishPlugins([activePlugin("todo")]);
    show();
    expect(screen.getByText(/the plugin has no form “ask”/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "About the plugin" }).getAttribute("href")).toBe("/plugins/todo");
  });

  it("offers to cancel when the form crashed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    publish(() => {
      throw new Error("boom");
    });
    const { cancel } = show();
    expect(await screen.findByText(/the form stopped working/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(cancel).toHaveBeenCalledOnce());
  });

  it("counts down", () => {
    vi.useFakeTimers({ now: 100_000 });
    show({ interaction: { ...kInteraction, expiresAt: 175_000 } });
    expect(screen.getByText("· 1:15 left")).toBeTruthy();
    act(() => void vi.advanceTimersByTime(10_000));
    expect(screen.getByText("· 1:05 left")).toBeTruthy();
    act(() => void vi.advanceTimersByTime(100_000));
    expect(screen.getByText("· 0:00 left")).toBeTruthy();
  });
});

describe("limits of an answer", () => {
  it("names the size that is too large", () => {
    expect(answerProblem("x".repeat(65_534))).toBeUndefined();
    expect(answerProblem("x".repeat(65_535))).toContain("65537 bytes");
    expect(answerProblem({ a: undefined })).toBeUndefined();
  });
  it("says how long is left", () => expect(timeLeftText(3600)).toBe("60:00 left"));
});
