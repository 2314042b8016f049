import { act, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Route, Routes } from "react-router";

import { usePageTitle } from "@/shell/page_title";
import { RouteFocus, SkipLink } from "@/shell/route_focus";
import { kMainId } from "@/lib/main_region";

import { renderAt, resetWindow } from "./fixtures";

afterEach(resetWindow);

function Page({ title, autoFocus = false }: { title: string; autoFocus?: boolean }) {
  usePageTitle(title);
  return (
    <main id={kMainId} tabIndex={-1}>
      <h1>{title}</h1>
      {autoFocus && <input autoFocus aria-label="Own" />}
    </main>
  );
}

const show = (path: string) =>
  renderAt(
    path,
    <>
      <SkipLink />
      <Routes>
        <Route path="/" element={<Page title="Start" />} />
        <Route path="/own" element={<Page title="Own" autoFocus />} />
        <Route path="/plugins/:id/:path/*" element={<Page title="Plugin" />} />
      </Routes>
      <RouteFocus />
    </>,
  );

test("the first page leaves the focus alone", () => {
  show("/");
  expect(document.activeElement).toBe(document.body);
  expect(document.title).toBe("Start · svc");
});

test("another page takes the focus with its heading and is announced", async () => {
  const { router } = show("/");
  await act(() => router.navigate("/plugins/a/b"));
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Plugin" }));
  expect(screen.getByRole("status").textContent).toBe("Plugin");
});

test("below a plugin's panel the focus stays where it is", async () => {
  const { router } = show("/plugins/a/b");
  screen.getByRole("button", { name: "Skip to content" }).focus();
  await act(() => router.navigate("/plugins/a/b/c"));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Skip to content" }));
});

test("a page that focuses something itself keeps that", async () => {
  const { router } = show("/");
  await act(() => router.navigate("/own"));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Own" }));
});

test("the skip link moves the focus and leaves the address", () => {
  const { pathname } = show("/own");
  act(() => screen.getByRole("button", { name: "Skip to content" }).click());
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Own" }));
  expect(pathname()).toBe("/own");
});
