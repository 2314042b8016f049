import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { PluginPendingInteractionProps } from "#sdk/app/slots/thread.js";
import { answerProblem, PendingInteraction, timeLeftText, type PendingInteractionProps } from "@/composer/pending_interaction";
import { publishPlugins } from "@/plugins/active";
import { clearCrashes } from "@/plugins/crashes";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";

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
    <MemoryRouter>
      <PendingInteraction interaction={kInteraction} pluginName="Todo" surface={{ projectId: null, threadId: "t1" }} {...given} />
    </MemoryRouter>,
  );
  return given;
}

beforeEach(() => publish());
afterEach(() => {
  cleanup();
  publishPlugins([]);
  clearCrashes("todo");
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

  it("offers to cancel when nothing can show the question", async () => {
    publishPlugins([]);
    const { cancel } = show();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("offers to cancel when the form crashed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    publish(() => {
      throw new Error("boom");
    });
    const { cancel } = show();
    await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
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
