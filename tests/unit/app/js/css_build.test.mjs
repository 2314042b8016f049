import assert from "node:assert/strict";
import { test } from "node:test";

import { Plugin } from "./builder.mjs";

const scope = ":where([data-svc-plugin=todo],[data-svc-plugin-root]:not([data-svc-plugin]))";
const page = (classes, imports = "") => `${imports}
import { definePluginApp } from "@get-svc/plugin-sdk/app";
const Page = () => <div className=${JSON.stringify(classes)} />;
export default definePluginApp((app) => app.slots.navPanel({ id: "a", title: "A", icon: "Box", path: "a", component: Page }));
`;

function cssOf(files, manifest, ...flags) {
  const plugin = new Plugin(files, manifest);
  const { errors } = plugin.build("--app", ...flags);
  assert.deepEqual(errors, []);
  return plugin.has("dist/app.css") ? plugin.read("dist/app.css") : undefined;
}

test("utilities are scoped in descendant and same-element form", () => {
  const css = cssOf({ "app.tsx": page("flex") });
  assert.ok(css.includes(`${scope} .flex,${scope}.flex{display:flex}`), css);
});

test("rules that look at siblings get only the descendant form", () => {
  const css = cssOf({ "app.tsx": page("peer-checked:p-4 nth-[2n+1]:m-1") });
  assert.ok(css.includes(`${scope} .peer-checked\\:p-4:is(:where(.peer):checked~*)`), css);
  assert.ok(!css.includes(`${scope}.peer-checked`));
  assert.match(css, /\)\)\.nth-/, "the plus of a formula is no combinator");
});

test("names of classes with special characters survive", () => {
  const css = cssOf({
    "app.tsx": page("w-[calc(100%-1px)] before:content-['{a,b}'] data-[state=open]:p-1 -mt-2 sm:hover:p-3 bg-[url('/x.png')]"),
  });
  for (const part of [
    ".w-\\[calc\\(100\\%-1px\\)\\]",
    '--tw-content:"{a,b}"',
    "[data-state=open]",
    ".-mt-2",
    ".sm\\:hover\\:p-3",
    "url(/x.png)",
  ]) {
    assert.ok(css.includes(part), part);
  }
});

test("there is no preflight", () => {
  const css = cssOf({ "app.tsx": page("flex") });
  assert.ok(!/box-sizing|html\{|body\{/.test(css));
});

test("tokens of the window are its live variables", () => {
  const css = cssOf({
    "app.tsx": page("bg-background text-subtle-foreground font-mono shadow-lift rounded-lg text-2xs dark:border-border"),
  });
  for (const part of [
    "background-color:var(--background)",
    "color:var(--subtle-foreground)",
    "var(--font-mono",
    "var(--shadow-lift",
    "var(--radius)",
    "font-size:var(--text-2xs",
    ":where(.dark,.dark *)",
  ]) {
    assert.ok(css.includes(part), part);
  }
  assert.ok(!/--color-background:/.test(css), "the window's variables are not written again");
});

test("animations of tw-animate-css are there", () => {
  assert.match(cssOf({ "app.tsx": page("animate-in fade-in") }), /@keyframes enter/);
});

test("only files that are bundled have utilities", () => {
  const css = cssOf({
    "app.tsx": page("flex", `import { used } from "./shaken";\nconsole.log(used);`),
    "shaken.ts": "export const used = 1;",
    "other.tsx": `export const x = "grid";`,
    "part.tsx": `export const y = "table";`,
  });
  assert.ok(css.includes(".flex") && !css.includes(".grid") && !css.includes(".table"));
});

test("a dependency declares where more class names are", () => {
  const files = { "app.tsx": page("flex") };
  const plugin = new Plugin(files, { dependencies: { kit: "1" } });
  plugin.install(
    "kit",
    { "themes/a.json": `{"c":"grid"}`, "b.json": `{"c":"table"}` },
    { svc: { pluginTailwindContent: ["./themes/**/*.json"] } },
  );
  assert.deepEqual(plugin.build("--app").errors, []);
  const css = plugin.read("dist/app.css");
  assert.ok(css.includes(".grid") && !css.includes(".table"), css);
  for (const bad of ["x", [1], ["../*"], ["/a"], [""]]) {
    plugin.install("kit", {}, { svc: { pluginTailwindContent: bad } });
    assert.match(plugin.build("--app").errors[0].text, /^node_modules\/kit\/package\.json: svc\.pluginTailwindContent: /);
  }
});

test("what the author wrote follows unscoped, with its directives compiled", () => {
  const css = cssOf({
    "app.tsx": page("bg-brand", `import "./a.css";`),
    "a.css": `@import "tailwindcss";\n@import "./b.css";\n@theme inline { --color-brand: var(--my-brand); }\n.card { @apply p-2 hover:flex; color: --alpha(red / 50%); }`,
    "b.css": `.first { background: url("./dot.png"); }\n@utility tinted { opacity: 0.5; }\n`,
    "dot.png": "png",
  });
  assert.ok(css.includes(`${scope}.bg-brand{background-color:var(--my-brand)}`), css);
  assert.match(css, /\}\.first\{background:url\(["']?data:image\/png/);
  assert.match(css, /\}\.card\{[^}]*padding:calc\(var\(--spacing\) ?\* ?2\)/);
  assert.match(css, /\.card:hover\{display:flex\}/);
  assert.ok(css.indexOf("@layer utilities") < css.indexOf(".first"));
  assert.ok(!/@apply|@theme|@tailwind|box-sizing/.test(css));
});

test("a theme changes neither the window nor other plugins", () => {
  const css = cssOf({
    "app.tsx": page("p-2 text-lg bg-brand bg-tint", `import "./a.css";`),
    "a.css": "@theme { --spacing: 1rem; --color-brand: #010203; --color-tint: #040506; } .dark { --color-tint: #070809; }",
  });
  const root = /@layer theme\{:root,:host\{([^}]*)\}/.exec(css)?.[1] ?? "";
  const own = css.slice(css.indexOf(`${scope}{`)).split("}", 1)[0];
  assert.ok(!root.includes("--spacing") && root.includes("--text-lg:1.125rem"), css);
  assert.ok(own.includes("--spacing:1rem") && own.includes("--color-brand:#010203"), css);
  // The dark mode of the author is set above the plugin's parts.
  assert.ok(root.includes("--color-tint:#040506") && !own.includes("--color-tint"), css);
  assert.ok(css.includes(".dark{--color-tint:#070809}"), css);
});

test("is the same in development and in a release", () => {
  const files = { "app.tsx": page("flex hover:p-2", `import "./a.css";`), "a.css": ".a { color: RED; margin: 0px 0px }" };
  assert.equal(cssOf(files, {}, "--dev"), cssOf(files, {}, "--minify"));
});

test("a directive that cannot be compiled is an error", () => {
  const plugin = new Plugin({ "app.tsx": page("", `import "./a.css";`), "a.css": ".a { @apply no-such-thing; }" });
  const { status, errors } = plugin.build("--app");
  assert.equal(status, 1);
  assert.match(errors[0].text, /no-such-thing/);
});

test("an error of Tailwind names the place in the author's sheet", () => {
  const plugin = new Plugin({
    "app.tsx": page("flex", `import "./a.css";\nimport "./styles/b.css";`),
    "a.css": ".a { color: red }\n",
    "styles/b.css": ".b {\n  color: red;\n  @apply p-2 no-such-class;\n}\n",
  });
  const [{ text, file, line, column, lineText }] = plugin.build("--app").errors;
  assert.match(text, /no-such-class/);
  assert.deepEqual(
    { file, line, column, lineText },
    { file: "styles/b.css", line: 3, column: 14, lineText: "  @apply p-2 no-such-class;" },
  );
});

test("sheets of other servers are imported first, where browsers read them", () => {
  const css = cssOf({
    "app.tsx": page("flex", `import "./a.css";`),
    "a.css": `@import url("https://fonts.example/x.css");\n.a { color: red }`,
  });
  assert.match(css, /^(?:\/\*.*?\*\/\s*)?@import "https:\/\/fonts\.example\/x\.css";/);
  assert.match(css, /\.a\{color:red\}/);
});
