import { afterEach, expect, it, vi } from "vitest";

import { tellOnce } from "@/plugins/told";

import { resetWindow } from "../shell/fixtures";

afterEach(resetWindow);

const failed = (hash: string, isTemporary = false) => ({ pluginId: "a", hash, name: "A", message: "no", isStale: false, isTemporary });

/** A window of the browser; all share the preferences. */
function page(visibilityState: DocumentVisibilityState) {
  const target = new EventTarget() as Document;
  const show = (state: DocumentVisibilityState) => {
    Object.defineProperty(target, "visibilityState", { configurable: true, value: state });
    target.dispatchEvent(new Event("visibilitychange"));
  };
  show(visibilityState);
  return { target, show };
}

it("tells of a wrong bundle once, however many windows load it and however often", () => {
  const tell = vi.fn();
  tellOnce(failed("h1"), tell, page("visible").target);
  tellOnce(failed("h1"), tell, page("visible").target);
  expect(tell).toHaveBeenCalledOnce();
  tellOnce(failed("h2"), tell, page("visible").target);
  expect(tell).toHaveBeenCalledTimes(2);
  tellOnce({ ...failed("h2"), pluginId: "b" }, tell, page("visible").target);
  expect(tell).toHaveBeenCalledTimes(3);
});

it("leaves it to the window that is looked at", () => {
  const [hidden, seen] = [vi.fn(), vi.fn()];
  const other = page("hidden");
  tellOnce(failed("h1"), hidden, other.target);
  tellOnce(failed("h1"), seen, page("visible").target);
  other.show("visible");
  expect(seen).toHaveBeenCalledOnce();
  expect(hidden).not.toHaveBeenCalled();
});

it("tells later when nobody looks", () => {
  const tell = vi.fn();
  const only = page("hidden");
  tellOnce(failed("h1"), tell, only.target);
  expect(tell).not.toHaveBeenCalled();
  only.show("visible");
  only.show("hidden");
  only.show("visible");
  expect(tell).toHaveBeenCalledOnce();
});

it("tells each time of what may go well another time", () => {
  const tell = vi.fn();
  tellOnce(failed("h1", true), tell, page("visible").target);
  tellOnce(failed("h1", true), tell, page("visible").target);
  expect(tell).toHaveBeenCalledTimes(2);
});
