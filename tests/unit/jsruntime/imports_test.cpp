// Imports whose target is known, or has to be there, when they run only.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader_fixture.h"

namespace svc::jsruntime {
namespace {

class ImportsTest : public LoaderFixture {
 protected:
  ImportsTest() {
    folder.write("registry.ts", "export const registry: string[] = [];");
    folder.write("package.json", R"({ "name": "plugin", "type": "module" })");
  }
  /// Runs the entry with and without top-level await, each twice: the second time from the cache.
  void expectAlways(const std::string& source, const std::string& expected) {
    for (const char* rest : {"", "\nawait 0;"}) {
      folder.write("server.ts", source + rest);
      EXPECT_EQ(run("server.ts"), expected) << rest;
      EXPECT_EQ(run("server.ts"), expected) << "kept" << rest;
    }
  }
};

TEST_F(ImportsTest, AComputedPathLeadsToTheInstanceThatAllHave) {
  folder.write("commands/hello.ts",
               R"(import { registry } from "../registry"; registry.push("hello");)");
  folder.write("commands/late.ts", R"(
    import { registry } from "../registry.js"; import { own } from "../server";
    import d from "../lib/d.cjs"; import * as all from "../registry";
    registry.push("late " + own.name + d.v + Object.keys(all)); export const v = 1;)");
  folder.write("lib/d.cjs", "module.exports = { v: 1 }");
  expectAlways(R"(
    import { readdirSync } from "node:fs"; import path from "node:path"; import { pathToFileURL } from "node:url";
    import { registry } from "./registry"; import d from "./lib/d.cjs";
    export const own = { name: "server" };
    export default async () => {
      const dir = path.join(import.meta.dirname, "commands");
      for (const file of readdirSync(dir)) await import(pathToFileURL(path.join(dir, file)).href);
      const name = "./registry.ts", lib = "./lib/d.cjs", late = "./commands/late.ts";
      return [...registry, (await import(name)).registry === registry, (await import(name)) === (await import("./registry")),
        (await import(lib)).default === d, (await import(late)) === (await import(late)), (await import(late)).v].join();
    };)",
               "hello,late server1registry,true,true,true,true,1");
}

TEST_F(ImportsTest, FilesThatOnlyComputedPathsReachShareTheirOwnToo) {
  folder.write("commands/count.ts", "export const count = { n: 0 };");
  folder.write("commands/a.ts",
               R"(import { count } from "./count"; count.n++; export default count;)");
  folder.write("commands/b.ts",
               R"(import { count } from "./count"; count.n++; export default count;)");
  expectAlways(R"(
    export default async () => {
      const all = await Promise.all(["a", "b", "count"].map((name) => import("./commands/" + name + ".ts")));
      return [all[0].default === all[1].default, all[2].count === all[0].default, all[0].default.n].join();
    };)",
               "true,true,2");
}

TEST_F(ImportsTest, ALoadSeesWhatAFileOfAComputedPathSaysNow) {
  folder.write("server.ts",
               R"(export default async (name: string) => (await import("./commands/" + name)).v;)");
  folder.write("commands/a.ts", R"(import { b } from "./b"; export const v = "1" + b;)");
  folder.write("commands/b.ts", "export const b = 1;");
  EXPECT_EQ(run("server.ts", "a"), "11");
  folder.write("commands/b.ts", "export const b = 222;");
  EXPECT_EQ(run("server.ts", "a"), "1222");
}

TEST_F(ImportsTest, PackagesHaveOneInstance) {
  folder.write(
      "node_modules/esm/package.json",
      R"({ "type": "module", "exports": { ".": { "import": "./i.js" }, "./sub/*": "./lib/*.js" } })");
  folder.write("node_modules/esm/i.js", "export const state = {};");
  folder.write("node_modules/esm/lib/x.js", "export const state = {};");
  folder.write("node_modules/both/package.json", R"({ "type": "module", "main": "i.js" })");
  folder.write("node_modules/both/i.js", "export const state = {};");
  folder.write("late.ts", R"(export { state } from "esm";)");
  folder.write("server.ts", R"(
    import { createRequire } from "node:module";
    import { state } from "esm"; import { state as sub } from "esm/sub/x"; import { state as both } from "both";
    export default async () => {
      const esm = "esm", part = "esm/sub/x", late = "./late";
      return [(await import(esm)).state === state, (await import(part)).state === sub, (await import(late)).state === state,
        createRequire(import.meta.url)("both").state === both].join();
    };)");
  EXPECT_EQ(run("server.ts"), "true,true,true,true");
}

TEST_F(ImportsTest, EveryFileThatIsImportedLaterHasThePackagesOfTheOthers) {
  folder.write("node_modules/valid/package.json", R"({ "exports": { "import": "./i.mjs" } })");
  folder.write("node_modules/valid/i.mjs",
               "export const object = () => 'object'; export default object;");
  folder.write("node_modules/base/package.json", R"({ "type": "module", "exports": "./i.js" })");
  folder.write("node_modules/base/i.js", "export const v = 'v'; export default 'base';");
  folder.write("node_modules/over/package.json", R"({ "type": "module", "exports": "./i.js" })");
  folder.write("node_modules/over/i.js", R"(export * from "base"; export const own = "own";)");
  folder.write("late/a.ts", R"(import { object } from "valid"; export default object();)");
  folder.write("late/b.ts", R"(import { object as o } from "valid"; export default o();)");
  folder.write("late/c.ts", R"(import object from "valid"; export default typeof object;)");
  folder.write("late/d.ts", R"(import base, { v } from "base"; export default base + v;)");
  folder.write("late/e.ts", R"(import { v, own } from "over"; export default v + own;)");
  folder.write("late/f.ts", R"(import * as over from "over"; export default Object.keys(over);)");
  expectAlways(R"(
    export default async () => {
      const said = [];
      for (const name of "abcdef") said.push((await import("./late/" + name + ".ts")).default);
      return said.join(" ");
    };)",
               "object object function basev vown own,v");
}

TEST_F(ImportsTest, AQueryBuilderDoesWithoutTheNativePackage) {
  folder.write("node_modules/orm/package.json", R"({ "type": "module", "exports": "./i.js" })");
  folder.write("node_modules/orm/i.js", R"(import Client from "better-sqlite3";
    export const open = (handle) => handle ?? new Client("file.db");)");
  folder.write("server.ts", R"(import { open } from "orm";
    export default () => { try { return open("handle") + open(); } catch (error) { return error.message; } };)");
  EXPECT_THAT(run("server.ts"),
              ::testing::HasSubstr("hand on the handle of svc.storage.database()"));
  folder.write("server.ts", R"(import D from "better-sqlite3"; export default () => D;)");
  EXPECT_THAT(run("server.ts"), ::testing::HasSubstr("Could not resolve"))
      << "of the author's own it is told";
  folder.write("node_modules/better-sqlite3/package.json", R"({ "main": "i.cjs" })");
  folder.write("node_modules/better-sqlite3/i.cjs",
               "module.exports = class { toString() { return ' own'; } };");
  folder.write("server.ts", R"(import { open } from "orm"; export default () => "" + open();)");
  EXPECT_EQ(run("server.ts"), " own") << "what is installed is taken";
}

TEST_F(ImportsTest, AModuleMayHaveASymbolOfItsOwn) {
  folder.write("node_modules/ast/package.json", R"({ "type": "module", "exports": "./i.js" })");
  folder.write("node_modules/ast/i.js", R"(/** import.meta.vitest */
    export class Symbol { kind = "own"; }
    export const at = () => import.meta.resolve("./other.js").endsWith("/ast/other.js");
    export const other = (name) => import("./" + name);)");
  folder.write("node_modules/ast/other.js", "export default 'other';");
  folder.write("server.ts", R"(import { at, other, Symbol } from "ast";
    export default async () => [new Symbol().kind, at(), (await other("other.js")).default].join();)");
  EXPECT_EQ(run("server.ts"), "own,true,other");
}

TEST_F(ImportsTest, APackageThatImportsFilesGetsTheAuthorsInstance) {
  folder.write("node_modules/finder/package.json", R"({ "type": "module", "exports": "./i.js" })");
  folder.write("node_modules/finder/i.js", "export const find = (file) => import(file);");
  folder.write("server.ts", R"(
    import { find } from "finder"; import { registry } from "./registry";
    export default async () => (await find(import.meta.dirname + "/registry.ts")).registry === registry;)");
  EXPECT_EQ(run("server.ts"), "true");
}

TEST_F(ImportsTest, TemplatePathsFollowTheSameRules) {
  folder.write(
      "commands/hello.ts",
      R"(import { registry } from "../registry"; registry.push("x"); export const v = "hello";)");
  expectAlways(R"(
    import { registry } from "./registry";
    const text = "import(`./commands/${name}`) in a text, globImport_commands(";
    export default async () => {
      const name = "hello", none = "none";
      const refused = import(`./commands/${none}`).catch((error) => error.code);
      return [(await import(`./commands/${name}`)).v, (await import(/* all */ `./commands/${name}.js`)).v,
        (await import(
          "./commands/" + name + ".ts")).v, registry.length, await refused, text.length].join(); };)",
               "hello,hello,hello,1,ERR_MODULE_NOT_FOUND,60");
}

TEST_F(ImportsTest, WhatIsNotThereRejectsWhenItRuns) {
  expectAlways(
      R"(
    const code = async (load: () => Promise<unknown>) => { try { return await load(); } catch (error) { return error.code; } };
    const sharp = () => import("sharp");
    export default async (name: string) => {
      let here; try { await import("./nope"); } catch (error) { here = error.code; }
      const never = name === "x" ? await import("./local.config") : "never";
      return [here, await code(sharp), await code(() => import("./nope.js")), await code(() => import(
        // the next line
        "@none/none")), never].join(); };)",
      "ERR_MODULE_NOT_FOUND,ERR_MODULE_NOT_FOUND,ERR_MODULE_NOT_FOUND,ERR_MODULE_NOT_FOUND,never");
  folder.write("node_modules/optional/package.json",
               R"({ "type": "module", "exports": "./i.js" })");
  folder.write("node_modules/optional/i.js",
               R"(export const fast = () => import("not-installed");)");
  folder.write(
      "server.ts",
      R"(import { fast } from "optional"; export default () => fast().catch((error) => error.code);)");
  EXPECT_EQ(run("server.ts"), "ERR_MODULE_NOT_FOUND");
}

TEST_F(ImportsTest, AStaticImportThatIsNotThereFailsTheLoad) {
  folder.write(
      "server.ts",
      R"(import sharp from "sharp"; export default () => import("other").then(() => sharp);)");
  const auto failure = run("server.ts");
  EXPECT_NE(failure.find("Could not resolve \"sharp\""), std::string::npos) << failure;
  EXPECT_NE(failure.find("server.ts:1:19: "), std::string::npos) << failure;
  EXPECT_NE(
      failure.find("\n    import sharp from \"sharp\"; export default () => import(\"other\")"),
      std::string::npos)
      << failure;
  EXPECT_EQ(failure.find("Could not resolve \"other\""), std::string::npos) << failure;
}

TEST_F(ImportsTest, AnAbsolutePathIsWhatItIsWhenItRuns) {
  const auto file = (folder.path() / "made.mjs").string();
  folder.write("server.ts", R"(
    import { writeFileSync } from "node:fs";
    export default async (value: string) => {
      writeFileSync(")" + file + R"(", "export const v = '" + value + "'");
      return (await import(")" + file +
                                R"(")).v; };)");
  EXPECT_EQ(run("server.ts", "one"), "one");
  EXPECT_EQ(run("server.ts", "two"), "two");
}

TEST_F(ImportsTest, JsonOfAComputedPathIsItsValue) {
  folder.write("data.json", R"({ "a": 1 })");
  folder.write("bad.json", "{");
  folder.write("server.ts", R"(export default async (file: string) => {
    const data = await import(file, { with: { type: "json" } }).catch((error) => ({ default: { a: error.message } }));
    return data.default.a; };)");
  EXPECT_EQ(run("server.ts", "./data.json"), "1");
  EXPECT_NE(run("server.ts", "./bad.json").find("bad.json: "), std::string::npos);
}

TEST_F(ImportsTest, ARequireOfTheAuthorReadsTypeScript) {
  folder.write("lib/a.mjs", "export const v = 1;");
  folder.write("lib/b.js", "export const v = 2;");
  folder.write("lib/c.ts", "export const v: number = 3;");
  folder.write("lib/d.cjs", "module.exports = { v: 4 };");
  folder.write("lib/plain/package.json", "{}");
  folder.write("lib/plain/e.js", "export const v = 5;");
  folder.write(
      "lib/own.ts",
      R"(import all, { registry } from "../registry"; export const v = registry === all.registry;)");
  folder.write("registry.ts", "export const registry: string[] = []; export default { registry };");
  folder.write("server.ts", R"(
    import { createRequire } from "node:module"; import { registry } from "./registry";
    export default () => { const require = createRequire(import.meta.url);
      return ["a.mjs", "b.js", "c.ts", "c", "d.cjs", "plain/e.js", "own"].map((file) => require("./lib/" + file).v).join("")
        + (require("./registry").registry === registry); };)");
  EXPECT_EQ(run("server.ts"), "123345truetrue");
}

TEST_F(ImportsTest, ARequireOfAScriptMayMeanItsSource) {
  folder.write("lib/a.ts", "export const v: number = 1;");
  folder.write("lib/b.tsx", "export const v: number = 2;");
  folder.write("lib/c.mts", "export const v: number = 3;");
  folder.write("lib/d.cts", "exports.v = 4;");
  folder.write("lib/e.ts", "export const v = 'source';");
  folder.write("lib/e.js", "exports.v = 5;");
  folder.write("lib/package.json", "{}");
  folder.write("lib/a b%20.ts", "export const v = 6;");
  folder.write("node_modules/strict/package.json", "{}");
  folder.write("node_modules/strict/index.js", R"(exports.v = require("./other.js");)");
  folder.write("node_modules/strict/other.ts", "export const v = 7;");
  folder.write("registry.ts", "export const registry: string[] = [];");
  folder.write("server.ts", R"(
    import { createRequire } from "node:module"; import { registry } from "./registry";
    export default () => { const require = createRequire(import.meta.url);
      const code = (name) => { try { return require(name).v; } catch (error) { return error.code; } };
      return [...["a.js", "b.js", "c.mjs", "d.cjs", "e.js", "a b%20.js"].map((file) => require("./lib/" + file).v),
        require("./registry.js").registry === registry, require.resolve("./lib/a.js").endsWith("/lib/a.ts"),
        ...["./lib/none.js", "./lib/a.js/", "strict", "none.js"].map(code)].join(" "); };)");
  EXPECT_EQ(run("server.ts"),
            "1 2 3 4 5 6 true true MODULE_NOT_FOUND MODULE_NOT_FOUND MODULE_NOT_FOUND "
            "MODULE_NOT_FOUND");
}

TEST_F(ImportsTest, ResolvesAsImportDoes) {
  folder.write("node_modules/both/package.json",
               R"({ "exports": { "import": "./i.mjs", "require": "./r.cjs" } })");
  folder.write("node_modules/both/i.mjs", "export {};");
  folder.write("server.ts", R"(export default () => {
    const at = (to) => { try { return import.meta.resolve(to).replace(new URL(".", import.meta.url).href, ""); }
      catch (error) { return error.code; } };
    return ["fs", "node:fs", "both", "./missing.js", "./registry", "none", "data:text/javascript,1"].map(at).join(" "); };)");
  EXPECT_EQ(run("server.ts"),
            "node:fs node:fs node_modules/both/i.mjs missing.js registry.ts ERR_MODULE_NOT_FOUND "
            "data:text/javascript,1");
}

TEST_F(ImportsTest, StacksNameTheSources) {
  folder.write(
      "lib/one.ts",
      "interface Unused { a: 1 }\n\nexport const one = () => { throw new Error('one'); };");
  folder.write(
      "lib/two.ts",
      "interface Unused { a: 1 }\n\nimport { one } from './one';\nexport const two = () => one();");
  folder.write("server.ts", R"(
    import { one } from "./lib/one";
    export default async (name: string) => {
      const { two } = await import(name);
      try { two(); } catch (error) { return String(two !== one) + error.stack; } };)");
  const auto stack = run("server.ts", "./lib/two");
  for (const char* place : {"/lib/one.ts:3:", "/lib/two.ts:4:", "/server.ts:5:"}) {
    EXPECT_NE(stack.find(place), std::string::npos) << stack;
  }
}

TEST_F(ImportsTest, WorkersDoWithoutWhatIsNotThere) {
  folder.write("registry.ts", "export const registry: string[] = ['x'];");
  folder.write("plain.mjs", "export const v = 'plain';");
  folder.write("worker.ts", R"(
    import { parentPort } from "node:worker_threads"; import { registry } from "./registry";
    const code = (name: string) => import(name).then((all) => all.v ?? all.registry === registry, (error) => error.code);
    parentPort!.postMessage([await import("sharp").catch((error) => error.code), await code("./none.js"), await code("./plain.mjs"),
      await code("./registry.ts"), import.meta.resolve("fs")].join());)");
  folder.write("server.ts", R"(
    import { once } from "node:events"; import { Worker } from "node:worker_threads";
    export default async () => (await once(new Worker(new URL("./worker.ts", import.meta.url)), "message"))[0];)");
  EXPECT_EQ(run("server.ts"), "ERR_MODULE_NOT_FOUND,ERR_MODULE_NOT_FOUND,plain,true,node:fs");
}

}  // namespace
}  // namespace svc::jsruntime
