import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { setFaviconColor } from "@/shell/favicon";
import { applySheet, kActiveThemeKey, startPalette } from "@/shell/active_theme";

import { catchLinks, fail, links, load } from "../plugins/fake_links";

const sheets = () => links().map((link) => link.trim());

beforeEach(() => {
  catchLinks();
  document.head.innerHTML = '<link rel="icon" href="http://host/icon.svg">';
});
afterEach(() => {
  document.head.innerHTML = "";
});

describe("the sheet of a palette", () => {
  test("stays until the next one is there", async () => {
    const first = applySheet("http://host/a.css");
    load("http://host/a.css");
    await first;
    const second = applySheet("http://host/b.css");
    expect(sheets()).toEqual(["http://host/a.css", "http://host/b.css"]);
    load("http://host/b.css");
    await second;
    expect(sheets()).toEqual(["http://host/b.css"]);
  });

  test("that does not load leaves the one in use", async () => {
    const first = applySheet("http://host/a.css");
    load("http://host/a.css");
    await first;
    const second = applySheet("http://host/gone.css");
    fail("http://host/gone.css");
    await expect(second).rejects.toThrow("gone.css");
    expect(sheets()).toEqual(["http://host/a.css"]);
  });

  test("goes with the choice of the built-in palette", async () => {
    const first = applySheet("http://host/a.css");
    load("http://host/a.css");
    await first;
    await applySheet(null);
    expect(sheets()).toEqual([]);
  });
});

describe("the palette that the service keeps", () => {
  const palette = (cssUrl: string | null) => ({ id: "x", name: "X", cssUrl, faviconColor: null, codeTheme: null });
  const choose = (cssUrl: string | null) => queryClient.setQueryData(kActiveThemeKey, palette(cssUrl));

  test("may become another one while its sheet loads", async () => {
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    const stop = startPalette();
    choose("/a.css");
    await vi.waitFor(() => expect(links().length).toBe(1));
    const [first] = sheets();
    choose(null);
    load(first!);
    await vi.waitFor(() => expect(sheets()).toEqual([]));
    choose("/b.css");
    await vi.waitFor(() => expect(links().length).toBe(1));
    choose("/c.css");
    load(sheets()[0]!);
    await vi.waitFor(() => expect(links().length).toBe(2));
    load(sheets()[1]!);
    await vi.waitFor(() => expect(sheets().length).toBe(1));
    expect(sheets()[0]).toContain("/c.css");
    stop();
    vi.unstubAllGlobals();
  });
});

test("the page's icon takes a colour or its name, and only that", () => {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')!;
  setFaviconColor("#aa0011");
  expect(decodeURIComponent(icon.href)).toContain('fill="#aa0011"');
  setFaviconColor("teal");
  expect(decodeURIComponent(icon.href)).toContain('fill="#0f7278"');
  setFaviconColor('red"/><script>');
  expect(icon.href).toBe("http://host/icon.svg");
  setFaviconColor(null);
  expect(icon.href).toBe("http://host/icon.svg");
});
