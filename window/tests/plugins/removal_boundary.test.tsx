import { cleanup, render, screen } from "@testing-library/react";
import { Component, type ReactNode, useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { diagnosticsNow, forgetDiagnostics } from "@/plugins/diagnostics";
import { RemovalBoundary } from "@/plugins/removal_boundary";

vi.mock("@/plugins/report", () => ({ sendReport: vi.fn() }));

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  cleanup();
  forgetDiagnostics("todo");
});

/** An error of the plugin's bundle, as its stack tells. */
function ofPlugin(message: string): Error {
  return Object.assign(new Error(message), { stack: `Error: ${message}\n at x (http://h/api/v1/plugins/todo/assets/app.js?h=1:1:1)` });
}

class Leaver extends Component<{ failure: Error; children: ReactNode }> {
  override componentWillUnmount(): void {
    throw this.props.failure;
  }
  override render() {
    return this.props.children;
  }
}

class Above extends Component<{ children: ReactNode }, { message: string }> {
  override state = { message: "" };
  static getDerivedStateFromError(failure: Error) {
    return { message: failure.message };
  }
  override render() {
    return this.state.message === "" ? this.props.children : <p>above: {this.state.message}</p>;
  }
}

const page = (children: ReactNode) => (
  <Above>
    <RemovalBoundary>{children}</RemovalBoundary>
  </Above>
);

it("shows what comes after a component of a plugin that fails while it is removed, and records the failure", () => {
  const { rerender } = render(
    page(
      <Leaver key="a" failure={ofPlugin("cannot leave")}>
        first
      </Leaver>,
    ),
  );
  rerender(page(<p key="b">second</p>));
  expect(screen.getByText("second")).toBeTruthy();
  expect(diagnosticsNow("todo")?.lastFailure).toMatchObject({ phase: "dispose", message: "cannot leave" });
});

it("shows the next one also when that fails in the same way", () => {
  const { rerender } = render(
    page(
      <Leaver key="a" failure={ofPlugin("one")}>
        first
      </Leaver>,
    ),
  );
  rerender(
    page(
      <Leaver key="b" failure={ofPlugin("two")}>
        second
      </Leaver>,
    ),
  );
  expect(screen.getByText("second")).toBeTruthy();
  rerender(page(<p key="c">third</p>));
  expect(screen.getByText("third")).toBeTruthy();
});

it("leaves failures of the window's own code to the boundary above", () => {
  const { rerender } = render(
    page(
      <Leaver key="a" failure={new Error("of the window")}>
        first
      </Leaver>,
    ),
  );
  rerender(page(<p key="b">second</p>));
  expect(screen.getByText("above: of the window")).toBeTruthy();
});

it("gives up when failures of a plugin do not end", () => {
  function Endless(): ReactNode {
    const [failure] = useState(() => ofPlugin("again"));
    throw failure;
  }
  render(page(<Endless />));
  expect(screen.getByText("above: again")).toBeTruthy();
});
