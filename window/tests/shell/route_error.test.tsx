import { cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { RouteError } from "@/shell/route_error";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(cleanup);

function show(failure: Error) {
  const Broken = () => {
    throw failure;
  };
  const router = createMemoryRouter([
    {
      element: (
        <>
          <nav>sidebar</nav>
          <Outlet />
        </>
      ),
      children: [{ errorElement: <RouteError />, children: [{ index: true, element: <Broken /> }] }],
    },
  ]);
  render(<RouterProvider router={router} />);
}

test("a page that throws leaves the rest of the window, says what happened and offers a way out", () => {
  show(new Error("no such thing"));
  expect(screen.getByText("sidebar")).toBeTruthy();
  expect(screen.getByRole("heading", { level: 1, name: "This page stopped working" })).toBeTruthy();
  expect(screen.getByText("no such thing")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Start page" })).toBeTruthy();
});

test("a chunk that is gone is told apart: a reload helps", () => {
  show(new TypeError("Failed to fetch dynamically imported module: /assets/x.js"));
  expect(screen.getByRole("heading", { name: "This page could not be loaded" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
});
