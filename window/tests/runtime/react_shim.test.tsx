import { act, cleanup, render, screen } from "@testing-library/react";
import * as react from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { clearCrashes } from "@/plugins/crashes";
import { diagnosticsNow, forgetDiagnostics } from "@/plugins/diagnostics";
import { SlotMount } from "@/plugins/slot_mount";
import { reactShim } from "@/runtime/react_shim";

import { activePlugin } from "../plugins/fake_plugins";

vi.mock("@/plugins/report", () => ({ sendReport: vi.fn() }));

const shim = reactShim as typeof react;
const kPlugin = activePlugin();

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  cleanup();
  clearCrashes("todo");
  forgetDiagnostics("todo");
});

const page = (component: (() => react.ReactNode) | null) => (
  <>
    {component !== null && <SlotMount plugin={kPlugin} slot="navPanel" id="main" component={component} props={{}} />}
    <p>the window</p>
  </>
);

describe.each(["useEffect", "useLayoutEffect", "useInsertionEffect"] as const)("%s of the plugins' React", (name) => {
  it("keeps a cleanup that throws from the window when the mount is removed", () => {
    const cleaned = vi.fn();
    function Page() {
      shim[name](
        () => () => {
          cleaned();
          throw new Error("cannot clean up");
        },
        [],
      );
      return <p>page</p>;
    }
    const { rerender } = render(page(Page));
    rerender(page(null));
    expect(screen.getByText("the window")).toBeTruthy();
    expect(cleaned).toHaveBeenCalledOnce();
    expect(diagnosticsNow("todo")?.lastFailure).toMatchObject({ phase: "dispose", message: "cannot clean up", slot: "navPanel main" });
  });

  it("lets the mount crash when a part of it is removed", () => {
    function Part() {
      shim[name](
        () => () => {
          throw new Error("cannot clean up");
        },
        [],
      );
      return null;
    }
    let hide = () => {};
    function Page() {
      const [isShown, setIsShown] = react.useState(true);
      hide = () => setIsShown(false);
      return isShown ? <Part /> : <p>page</p>;
    }
    render(page(Page));
    act(() => hide());
    expect(screen.getByRole("group", { name: "Todo stopped working" })).toBeTruthy();
  });

  it("runs again when its dependencies change, and needs no cleanup and no mount", () => {
    const seen: string[] = [];
    function Page({ value }: { value: string }) {
      shim[name](() => void seen.push(value), [value]);
      return null;
    }
    const { rerender } = render(<Page value="a" />);
    rerender(<Page value="a" />);
    rerender(<Page value="b" />);
    expect(seen).toEqual(["a", "b"]);
  });
});

it("is the window's React in everything else, also as default", () => {
  const whole = (shim as { default?: typeof react }).default ?? shim;
  for (const one of [shim, whole]) {
    expect(one.useState).toBe(react.useState);
    expect(one.createContext).toBe(react.createContext);
  }
  expect(whole.useEffect).toBe(shim.useEffect);
});
