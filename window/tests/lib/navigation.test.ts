import { matchPath } from "react-router";
import { describe, expect, test, vi } from "vitest";

import {
  bindRouter,
  decodeSubPath,
  encodeSubPath,
  navigation,
  paths,
  routablePath,
  routeContextNow,
  routeContextOf,
} from "@/lib/navigation";
import { pageKeyOf } from "@/shell/route_focus";

describe("paths", () => {
  test.each([
    ["", ""],
    ["a/b", "a/b"],
    ["/a//b/", "a/b"],
    ["a b/ü?#", "a%20b/%C3%BC%3F%23"],
    ["50%/x", "50%25/x"],
  ])("encode each segment of %j and drop empty ones", (subPath, encoded) => {
    expect(encodeSubPath(subPath)).toBe(encoded);
  });

  test.each(["a/b", "50%/x y", "ü?#/&=", "a%2Fb", "a\nb\r/\u2028c\u2029", "..", "../..", "a/../b/.", "...", "C:\\dir", ".git"])(
    "a sub path %j comes back as it was",
    (subPath) => {
      const encoded = encodeSubPath(subPath);
      expect(decodeSubPath(encoded)).toBe(subPath);
      // As every browser and the router read it.
      const { pathname } = new URL(`/plugins/notes/main/${encoded}`, "http://127.0.0.1");
      expect(pathname).toBe(`/plugins/notes/main/${encoded}`);
      expect(matchPath("/plugins/:pluginId/:panelPath/*", decodeURIComponent(pathname))).not.toBeNull();
    },
  );

  test("an address with an encoded line break, which the router does not take, is written anew", () => {
    const routable = routablePath("/plugins/notes/main/a%0Ab%e2%80%a8") ?? "";
    expect(decodeSubPath(routable.slice("/plugins/notes/main/".length))).toBe("a\nb\u2028");
    expect(matchPath("/plugins/:pluginId/:panelPath/*", decodeURIComponent(routable))).not.toBeNull();
    expect(routablePath("/plugins/notes/main/a%20b")).toBeNull();
  });

  test("what is no percent encoding stays as it is", () => {
    expect(decodeSubPath("a/%zz/b%20c")).toBe("a/%zz/b c");
  });

  test("ids are encoded wherever they stand", () => {
    expect(paths.pluginPanel("a/b", "p", "x/y")).toBe("/plugins/a%2Fb/p/x/y");
    expect(paths.pluginLogs("a b")).toBe("/settings/plugins/a%20b/logs");
  });
});

describe("navigation", () => {
  function fakeRouter(pathname = "/") {
    const navigate = vi.fn();
    bindRouter({ state: { location: { pathname, search: "", hash: "" } }, navigate });
    return navigate;
  }

  test("goes to a plugin's page with its sub path, replacing when asked to", () => {
    const navigate = fakeRouter();
    navigation.toPluginPanel("todo", "todos", { subPath: "1/edit", replace: true });
    expect(navigate).toHaveBeenCalledWith("/plugins/todo/todos/1/edit", { replace: true });
  });

  test("hands the prompt over to the new-thread page", () => {
    const navigate = fakeRouter();
    navigation.toCompose({ initialPrompt: "Hi", focusPrompt: true });
    expect(navigate).toHaveBeenCalledWith("/", { state: { compose: { initialPrompt: "Hi", focusPrompt: true } } });
  });

  test("knows thread and project of the address", () => {
    fakeRouter("/projects/p1/threads/t%201");
    expect(routeContextNow()).toEqual({ projectId: "p1", threadId: "t 1" });
    expect(routeContextOf("/threads/t2")).toEqual({ projectId: null, threadId: "t2" });
    expect(routeContextOf("/settings/projects/p3")).toEqual({ projectId: "p3", threadId: null });
    expect(routeContextOf("/plugins/a/b")).toEqual({ projectId: null, threadId: null });
  });
});

test("below its own panel a plugin changes no page", () => {
  expect(pageKeyOf("/plugins/todo/todos/1/edit")).toBe(pageKeyOf("/plugins/todo/todos"));
  expect(pageKeyOf("/plugins/todo/todos")).not.toBe(pageKeyOf("/plugins/todo/other"));
  expect(pageKeyOf("/settings/plugins/a")).not.toBe(pageKeyOf("/settings/plugins/b"));
});
