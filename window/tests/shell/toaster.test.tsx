import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { clearNotifications, notify } from "@/lib/notifications";
import Toaster from "@/shell/toaster";
import { cn } from "@/ui/cn";

test("what is said before the toaster is there is shown when it comes, and its action works", async () => {
  const run = vi.fn();
  notify({ kind: "error", title: "Too early", description: "nobody listens", action: { label: "Again", run } });
  render(<Toaster />);
  expect(await screen.findByText("Too early")).toBeTruthy();
  screen.getByText("Again").click();
  expect(run).toHaveBeenCalledOnce();
  notify({ kind: "info", title: "In time" });
  expect(await screen.findByText("In time")).toBeTruthy();
  clearNotifications();
});

test("component tests refuse two utilities for one property", () => {
  expect(() => cn("size-4", "size-6")).toThrow("size-4 would lose");
  expect(cn("base:size-4", "size-6")).toBe("base:size-4 size-6");
});
