import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { readPreference, usePreference, writePreference } from "@/lib/preferences";

import { resetWindow } from "../shell/fixtures";

afterEach(resetWindow);

const kNone: string[] = [];

function Shown() {
  const [value, setValue] = usePreference<string[]>("test.list", kNone);
  return <button onClick={() => setValue((current) => [...current, "x"])}>{value.join(",") || "none"}</button>;
}

test("a preference is kept in local storage and shown wherever it is used", () => {
  render(
    <>
      <Shown />
      <Shown />
    </>,
  );
  act(() => screen.getAllByRole("button")[0]!.click());
  expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual(["x", "x"]);
  expect(localStorage.getItem("svc.test.list")).toBe('["x"]');
});

test("another window's change is followed", () => {
  render(<Shown />);
  act(() => {
    localStorage.setItem("svc.test.list", '["other"]');
    dispatchEvent(new StorageEvent("storage", { key: "svc.test.list" }));
  });
  expect(screen.getByRole("button").textContent).toBe("other");
});

test.each(["not json", '"text"', "null", '{"a":1}'])("what cannot be a list counts as absent: %s", (raw) => {
  localStorage.setItem("svc.test.list", raw);
  expect(readPreference("test.list", kNone)).toBe(kNone);
});

test("a browser that stores nothing keeps it for the window", () => {
  const stored = localStorage;
  localStorage.setItem("svc.test.list", '["old"]');
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => Storage.prototype.getItem.call(stored, key),
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  });
  writePreference("test.list", ["kept"]);
  render(<Shown />);
  expect(screen.getByRole("button").textContent).toBe("kept");
  vi.unstubAllGlobals();
  expect(localStorage.getItem("svc.test.list")).toBe('["old"]');
});
