import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ConnectionState } from "@/api/realtime";
import { ConnectionNotice } from "@/shell/connection_notice";

let state: ConnectionState = "connected";
let isUpdateAvailable = false;
vi.mock("@/api/realtime", () => ({ useConnectionState: () => state, useUpdateAvailable: () => isUpdateAvailable }));

beforeEach(() => {
  vi.useFakeTimers();
  state = "connected";
  isUpdateAvailable = false;
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const said = () => screen.getByRole("status").textContent;

test("a connection that is lost for a moment is not worth a word, and takes no room", () => {
  const { rerender } = render(<ConnectionNotice />);
  state = "reconnecting";
  rerender(<ConnectionNotice />);
  act(() => void vi.advanceTimersByTime(1400));
  expect(screen.getByRole("status").childElementCount).toBe(0);
  state = "connected";
  rerender(<ConnectionNotice />);
  act(() => void vi.advanceTimersByTime(5000));
  expect(said()).toBe("");
});

test("one that stays lost is said until it is back, also the second time", () => {
  const { rerender } = render(<ConnectionNotice />);
  for (let time = 0; time < 2; ++time) {
    state = "reconnecting";
    rerender(<ConnectionNotice />);
    expect(said()).toBe("");
    act(() => void vi.advanceTimersByTime(1500));
    expect(said()).toBe("Connection lost. Connecting again…");
    state = "connected";
    rerender(<ConnectionNotice />);
    expect(said()).toBe("");
  }
});

test("another run of the server offers a reload, while it is reached", () => {
  isUpdateAvailable = true;
  const { rerender } = render(<ConnectionNotice />);
  expect(screen.getByRole("button", { name: "Reload to update" })).toBeTruthy();
  state = "reconnecting";
  rerender(<ConnectionNotice />);
  expect(said()).toBe("");
});
