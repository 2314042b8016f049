import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { setFaviconColor } from "@/shell/favicon";
import { applySheet } from "@/shell/active_theme";

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
