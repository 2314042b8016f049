import { createElement } from "react";
import * as ReactDom from "react-dom";
import * as ReactClient from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { DomGuard, isReactOwned, kDomWarnings } from "@/plugins/dom_guard";

let caller: string | null;
let guard: DomGuard;
let end: () => void;
let parent: HTMLElement;
let owned: HTMLElement;
let foreign: HTMLElement;
const warn = vi.fn();
const kOriginals = ["removeChild", "insertBefore", "appendChild", "replaceChild"].map(
  (name) => [name, Node.prototype[name as "removeChild"]] as const,
);

function element(isOwned: boolean): HTMLElement {
  const made = document.createElement("div");
  if (isOwned) {
    Object.assign(made, { __reactFiber$abc: {} });
  }
  return made;
}

beforeEach(() => {
  caller = "a";
  warn.mockReset();
  guard = new DomGuard({ callerPlugin: () => caller, warn });
  parent = element(true);
  owned = element(true);
  foreign = element(false);
  parent.append(owned, foreign);
  document.body.append(parent);
  end = guard.guard("a");
});
afterEach(() => {
  end();
  document.body.innerHTML = "";
});

const kTakeAway: [string, () => unknown][] = [
  ["removeChild", () => parent.removeChild(owned)],
  ["remove", () => owned.remove()],
  ["replaceChild", () => parent.replaceChild(element(false), owned)],
  ["replaceWith", () => owned.replaceWith(element(false))],
  ["appendChild", () => document.body.appendChild(owned)],
  ["insertBefore", () => document.body.insertBefore(owned, parent)],
  ["append", () => document.body.append(owned)],
  ["prepend", () => document.body.prepend(owned)],
  ["before", () => parent.before(owned)],
  ["after", () => parent.after(owned)],
  ["replaceChildren", () => parent.replaceChildren()],
  ["insertAdjacentElement", () => document.body.insertAdjacentElement("beforeend", owned)],
  ["textContent", () => (parent.textContent = "")],
  ["innerHTML", () => (parent.innerHTML = "")],
  ["outerHTML", () => (owned.outerHTML = "<p></p>")],
];

describe("DomGuard", () => {
  it.each(kTakeAway)("refuses %s of a script on a node that React owns", (_name, call) => {
    call();
    expect(owned.parentNode).toBe(parent);
    expect(guard.refusals("a")).toBe(1);
    expect(warn).toHaveBeenCalledOnce();
  });

  it.each(kTakeAway)("lets the window call %s", (_name, call) => {
    caller = null;
    call();
    expect(owned.parentNode === parent && parent.firstChild === owned && parent.parentNode === document.body).toBe(
      // Moving it to where its parent is leaves another place too.
      false,
    );
    expect(warn).not.toHaveBeenCalled();
  });

  it.each(kTakeAway)("lets %s through again when no script runs", (_name, call) => {
    end();
    call();
    expect(owned.parentNode).not.toBe(parent);
  });

  it("lets a script add and remove nodes of its own", () => {
    const own = element(false);
    parent.insertBefore(own, owned);
    parent.appendChild(own);
    foreign.remove();
    owned.append(own);
    owned.textContent = "";
    expect(own.isConnected || foreign.isConnected).toBe(false);
    expect(guard.refusals("a")).toBe(0);
  });

  it("lets plugins without scripts do what they do", () => {
    caller = "b";
    owned.remove();
    expect(owned.isConnected).toBe(false);
  });

  it.each([
    ["removeChild", () => parent.removeChild(element(false))],
    ["insertBefore", () => parent.insertBefore(element(false), element(false))],
    ["replaceChild", () => parent.replaceChild(element(false), element(false))],
  ])("ignores %s whose parent does not match, whoever calls it", (_name, call) => {
    caller = null;
    expect(call()).toBeInstanceOf(HTMLElement);
    expect(parent.childNodes).toHaveLength(2);
    end();
    expect(call).toThrow();
  });

  it("logs the first few refusals and counts the others", () => {
    for (let i = 0; i < 10; i += 1) {
      owned.remove();
    }
    expect(warn).toHaveBeenCalledTimes(kDomWarnings);
    expect(guard.refusals("a")).toBe(10);
  });

  it("stays until the last of several scripts ended, and leaves nothing behind", () => {
    const other = guard.guard("a");
    const third = guard.guard("b");
    end();
    end();
    owned.remove();
    expect(owned.parentNode).toBe(parent);
    other();
    third();
    for (const [name, original] of kOriginals) {
      expect(Node.prototype[name as "removeChild"]).toBe(original);
    }
  });

  it("finds the caller in the stack: a script is refused, the window it calls is not", () => {
    end();
    const real = new DomGuard();
    end = real.guard("todo");
    const silence = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const run = (code: string) =>
      new Function("owned", "windowRemoves", `${code}\n//# sourceURL=http://host/api/v1/plugins/todo/assets/app.js?h=1`) as (
        owned: HTMLElement,
        windowRemoves: () => void,
      ) => void;
    run("owned.remove()")(owned, () => undefined);
    run("owned.parentNode.removeChild(owned)")(owned, () => undefined);
    run("owned.parentNode.textContent = ''")(owned, () => undefined);
    run("[owned].forEach((node) => node.remove())")(owned, () => undefined);
    expect(owned.isConnected).toBe(true);
    expect(real.refusals("todo")).toBe(4);
    expect(silence).toHaveBeenCalledTimes(kDomWarnings);
    run("windowRemoves()")(owned, () => owned.remove());
    expect(owned.isConnected).toBe(false);
  });
});

describe("a root of React that is not the window's", () => {
  const { createRoot } = ReactClient;
  const render = (container: HTMLElement) => {
    const root = createRoot(container);
    ReactDom.flushSync(() => root.render(createElement("p", null, createElement("b", null, "own"))));
    return root;
  };

  it("is the script's own: it takes it away again", () => {
    const container = document.createElement("div");
    document.body.append(container);
    const root = render(container);
    expect(isReactOwned(container.querySelector("b")!)).toBe(false);
    container.remove();
    expect(container.isConnected).toBe(false);
    expect(guard.refusals("a")).toBe(0);
    root.unmount();
  });

  it("differs from the window's, portals included", () => {
    const container = Object.assign(document.createElement("div"), { id: "root" });
    document.body.append(container);
    const root = createRoot(container);
    ReactDom.flushSync(() => root.render(ReactDom.createPortal(createElement("i", null, "overlay"), document.body)));
    const overlay = document.querySelector("i")!;
    overlay.remove();
    container.remove();
    expect([overlay.isConnected, container.isConnected]).toEqual([true, true]);
    expect(guard.refusals("a")).toBe(2);
    caller = null;
    ReactDom.flushSync(() => root.unmount());
  });
});

describe("isReactOwned", () => {
  it("knows nodes and roots of React by their keys", () => {
    expect(isReactOwned(owned)).toBe(true);
    expect(isReactOwned(Object.assign(document.createElement("div"), { id: "root" }))).toBe(true);
    expect(isReactOwned(foreign)).toBe(false);
  });
});
