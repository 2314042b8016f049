#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "loader_fixture.h"

namespace svc::jsruntime {
namespace {

using LoaderTest = LoaderFixture;

TEST_F(LoaderTest, LoadsTypeScriptOfSeveralFiles) {
  folder.write("server.ts", R"(
    import { Level, Greeter } from "./lib/greeter.js";
    import data from "./data.json";
    import { plain } from "./plain";
    import type { Missing } from "./not-there.js";
    export const extra = 1;
    export default async (name: string): Promise<string> =>
      [new Greeter(name).greet(), Level[Level.High], data.value, plain(), "x" satisfies string as string].join("|");
  )");
  folder.write("lib/greeter.ts", R"(
    export enum Level { Low, High }
    export class Greeter {
      constructor(private readonly name: string) {}
      greet() { return `hello ${this.name}`; }
    })");
  folder.write("data.json", R"({ "value": 42 })");
  folder.write("plain.tsx", "export const plain = (): string => 'plain';");
  auto instance = createLoader();
  EXPECT_EQ(text(call(instance, "load", "server.ts")), "default,extra");
  EXPECT_EQ(text(call(instance, "run", "you")), "hello you|High|42|plain|x");
}

TEST_F(LoaderTest, ShowsEveryModuleItsOwnPlace) {
  folder.write("server.ts", R"(
    import * as inner from "./deep/inner.js";
    export default () => JSON.stringify([import.meta.url, import.meta.filename, import.meta.dirname, __dirname, ...inner.places]);)");
  folder.write("deep/inner.ts", R"(
    import { readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    const __filename = fileURLToPath(import.meta.url);
    export const places = [import.meta.dirname, __filename, __dirname, readFileSync(new URL("./beside.txt", import.meta.url), "utf8"),
      import.meta.resolve("./beside.txt")];)");
  folder.write("deep/beside.txt", "found");
  const auto root = folder.path().string();
  EXPECT_EQ(run("server.ts"), R"(["file://)" + root + R"(/server.ts",")" + root +
                                  R"(/server.ts",")" + root + R"(",")" + root + R"(",")" + root +
                                  R"(/deep",")" + root + R"(/deep/inner.ts",")" + root +
                                  R"(/deep","found","file://)" + root + R"(/deep/beside.txt"])");
}

TEST_F(LoaderTest, LoadsRealPackages) {
  useProjectPackages();
  folder.write("server.ts", R"(
    import { z } from "zod";
    import * as v from "valibot";
    import semver from "semver";
    import { WebSocketServer } from "ws";
    const schema = z.object({ title: z.string() });
    export default () => [schema.parse({ title: "ok" }).title, v.parse(v.string(), "v"), semver.major("3.1.0"),
      typeof WebSocketServer, z.toJSONSchema(schema).type].join();)");
  EXPECT_EQ(run("server.ts"), "ok,v,3,function,object");
}

TEST_F(LoaderTest, BundlesEsModulesAndRequiresCommonJsOnce) {
  folder.write("node_modules/esm-only/package.json",
               R"({ "type": "module", "exports": { "import": "./index.js" } })");
  folder.write("node_modules/esm-only/index.js",
               "import counter from 'counter'; export const place = import.meta.dirname; export "
               "const count = () => counter.next();");
  folder.write("node_modules/counter/package.json", R"({ "main": "index.js" })");
  folder.write("node_modules/counter/index.js",
               "let n = 0; exports.next = () => ++n; exports.file = __filename;");
  folder.write("node_modules/dual/package.json",
               R"({ "exports": { "import": "./wrapper.mjs", "require": "./index.js" } })");
  folder.write(
      "node_modules/dual/wrapper.mjs",
      "import cjs from './index.js'; export const kind = 'esm+' + cjs.kind; export default cjs;");
  folder.write("node_modules/dual/index.js", "exports.kind = 'cjs';");
  folder.write("server.ts", R"(
    import { count, place } from "esm-only";
    import { next, file } from "counter";
    import { kind } from "dual";
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    export default async () => [count(), next(), require("counter").next(), (await import("esm-only")).count(),
      require("dual").kind, kind, place, file].join();)");
  const auto modules = (folder.path() / "node_modules").string();
  EXPECT_EQ(run("server.ts"),
            "1,2,3,4,cjs,esm+cjs," + modules + "/esm-only," + modules + "/counter/index.js");
}

TEST_F(LoaderTest, ReadsRegularExpressionsWithTheFlagV) {
  folder.write("node_modules/width/package.json",
               R"({"name":"width","type":"module","main":"main.js"})");
  folder.write("node_modules/width/main.js", R"js(
    export const emoji = /^\p{RGI_Emoji}$/v;
    export const letters = /^[\p{L}"]+$/iv;)js");
  folder.write("server.ts", R"(
    import { emoji, letters } from 'width';
    const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}';
    export default () => [emoji.test(family), emoji.test('1'), letters.test('a"'), letters.test('1')].join();)");
  auto instance = create(R"(runtime.handle('load', async (meta, body) =>
      (await runtime.loadModule(body)).default());)");
  EXPECT_EQ(text(call(instance, "load", "server.ts")), "true,false,true,false");
}

TEST_F(LoaderTest, CommonJsMayRequireEsModules) {
  folder.write("node_modules/esm/package.json",
               R"({"name":"esm","type":"module","main":"main.js"})");
  folder.write("node_modules/esm/main.js", R"(
    import path from 'node:path';
    export { part } from './part.js';
    export const name = path.basename(import.meta.url);
    export default 'default';)");
  folder.write("node_modules/esm/part.js", "export const part = 'part';");
  folder.write("node_modules/esm/waits.mjs", "export const late = await 1;");
  folder.write("node_modules/cjs/package.json", R"({"name":"cjs","main":"main.js"})");
  folder.write("node_modules/cjs/main.js", R"(
    const esm = require('esm');
    let late;
    try { require('esm/waits.mjs'); } catch (error) { late = error.code; }
    module.exports = [esm.part, esm.name, esm.default, late].join(' ');)");
  folder.write("server.ts", "import text from 'cjs'; export default () => text;");
  auto instance = create(R"(runtime.handle('load', async (meta, body) =>
      (await runtime.loadModule(body)).default());)");
  EXPECT_EQ(text(call(instance, "load", "server.ts")), "part main.js default ERR_REQUIRE_ESM");
}

TEST_F(LoaderTest, ImportsOfNodeSeeWhatThePreludeAdds) {
  folder.write("server.ts", R"(export default async () => {
    const { crc32 } = await import('node:zlib');
    const { spawnSync } = await import('node:child_process');
    return [typeof crc32, spawnSync('echo', ['x'], { stdio: 'inherit' }).stdout].join(' ');
  })");
  auto instance = create(R"(runtime.handle('load', async (meta, body) =>
      (await runtime.loadModule(body)).default());)");
  EXPECT_EQ(text(call(instance, "load", "server.ts")), "function ");
}

TEST_F(LoaderTest, ImportsEsModulesByAComputedName) {
  folder.write("node_modules/esm-only/package.json",
               R"({ "type": "module", "exports": "./index.js" })");
  folder.write("node_modules/esm-only/index.js", "export const value = 'native';");
  folder.write("server.ts",
               R"(export default async (name: string) => (await import(name)).value;)");
  EXPECT_EQ(run("server.ts", "esm-only"), "native");
}

TEST_F(LoaderTest, ImportsOwnFilesByAComputedPath) {
  folder.write("lib/one.ts", "export const value: string = 'one';");
  folder.write("lib/two.mts", "export const value = await Promise.resolve<string>('two');");
  folder.write("lib/load.ts", R"(
    const text = "import(name) in a text stays";
    export const load = async (name: string): Promise<string> => (await import(name)).value;
    export const loadUrl = async (name: string) => (await import(new URL(name, import.meta.url).href)).value;
    export const same = async (name: string) => (await import(name)) === (await import(name));
    export { text };)");
  const std::string source = R"(
    import { load, loadUrl, same, text } from "./lib/load";
    export default async () => [await load("./one.ts"), await load("./one"), await loadUrl("one.js"),
      await load("./two.mjs"), await same("./two.mts"), text].join();)";
  const std::string expected = "one,one,one,two,true,import(name) in a text stays";
  folder.write("server.ts", source);
  EXPECT_EQ(run("server.ts"), expected);
  folder.write("server.ts", source + "\nawait 0;");
  EXPECT_EQ(run("server.ts"), expected);
  folder.write("server.ts", "export default (name: string) => import(name);");
  EXPECT_NE(run("server.ts", "./not-there.js").find("not-there.js"), std::string::npos);
}

TEST_F(LoaderTest, SupportsTopLevelAwait) {
  useProjectPackages();
  folder.write("server.ts", R"(
    import semver from "semver";
    import { where } from "./lib/where.js";
    const value = await Promise.resolve("awaited");
    export default (what: string) => { if (what === "throw") {
      throw new Error("after await"); }
      return [value, semver.major("3.1.0"), where].join(); };)");
  folder.write("lib/where.ts", "export const where = import.meta.dirname;");
  auto instance = createLoader();
  ASSERT_EQ(text(call(instance, "load", "server.ts")), "default");
  EXPECT_EQ(text(call(instance, "run")), "awaited,3," + (folder.path() / "lib").string());
  EXPECT_FALSE(call(instance, "run", "throw").ok());
  const auto seen = observer->waitFor([](const auto& all) { return !all.handler_errors.empty(); });
  ASSERT_FALSE(seen.handler_errors.empty());
  EXPECT_NE(seen.handler_errors[0].error.stack.find("server.ts:6:13"), std::string::npos)
      << seen.handler_errors[0].error.stack;
}

TEST_F(LoaderTest, UsesPathsOfTheTsconfig) {
  folder.write(
      "tsconfig.json",
      R"({ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["src/lib/*"] } } })");
  folder.write("src/lib/a.ts", "export const a = 'aliased';");
  folder.write("server.ts", "import { a } from '@lib/a'; export default () => a;");
  EXPECT_EQ(run("server.ts"), "aliased");
}

TEST_F(LoaderTest, FindsPackagesOfParentFolders) {
  folder.write("node_modules/hoisted/package.json", R"({ "name": "hoisted" })");
  folder.write("node_modules/hoisted/index.js", "module.exports = { where: 'root' };");
  folder.write("packages/mine/package.json", R"({ "type": "module" })");
  folder.write("packages/mine/server.ts",
               "import hoisted from 'hoisted'; export default () => hoisted.where;");
  options.root = folder.path() / "packages" / "mine";
  EXPECT_EQ(run("server.ts"), "root");
}

TEST_F(LoaderTest, LoadsCommonJsEntries) {
  folder.write("package.json", R"({ "name": "plugin" })");
  folder.write("server.js",
               "const { join } = require('node:path'); const own = require('./own'); "
               "module.exports = () => join('a', own);");
  folder.write("own.js", "module.exports = 'own';");
  EXPECT_EQ(run("server.js"), "a/own");
}

TEST_F(LoaderTest, LowersSyntaxThatTheEngineLacks) {
  folder.write("server.ts", R"(
    export default () => { const log: string[] = [];
      { using item = { [Symbol.dispose]() { log.push("disposed"); } }; log.push("used"); }
      return log.join(); };)");
  EXPECT_EQ(run("server.ts"), "used,disposed");
}

TEST_F(LoaderTest, NamesThePlaceOfASyntaxError) {
  folder.write("server.ts", "import './lib/bad.js';\nexport default () => 1;");
  folder.write("lib/bad.ts", "const fine = 1;\nconst x = = 2;\n");
  auto instance = createLoader();
  const auto loaded = call(instance, "load", "server.ts");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message,
            "lib/bad.ts:2:11: Unexpected \"=\"\n    const x = = 2;\n              ^");
}

TEST_F(LoaderTest, SaysWhatToDoAboutAPackageThatIsNotInstalled) {
  folder.write("server.ts", R"(import x from "not-installed"; export default x;)");
  EXPECT_NE(run("server.ts").find("run `npm install`"), std::string::npos);
}

TEST_F(LoaderTest, NamesAnImportThatCannotBeFound) {
  folder.write("server.ts", "\nimport './missing.js';\nexport default () => 1;");
  auto instance = createLoader();
  const auto loaded = call(instance, "load", "server.ts");
  ASSERT_FALSE(loaded.ok());
  EXPECT_TRUE(
      loaded.error().message.starts_with("server.ts:2:8: Could not resolve \"./missing.js\""))
      << loaded.error().message;
}

TEST_F(LoaderTest, StacksNameTheSourceOfTheAuthor) {
  folder.write("server.ts", R"(import { fail } from "./lib/fail.js";
interface Shape { a: string }
export default (what: string) => {
  if (what === "timer") { setTimeout(() => {
    throw new Error("timer"); }); return "";
  }
  fail({ a: "b" } as Shape);
};)");
  folder.write("lib/fail.ts",
               "type T = unknown;\nexport function fail(value: T): never {\n  throw new "
               "TypeError('failed');\n}\n");
  auto instance = createLoader();
  ASSERT_TRUE(call(instance, "load", "server.ts").ok());
  EXPECT_FALSE(call(instance, "run").ok());
  EXPECT_TRUE(call(instance, "run", "timer").ok());
  const auto seen = observer->waitFor(
      [](const auto& all) { return !all.handler_errors.empty() && !all.uncaught.empty(); });
  ASSERT_FALSE(seen.handler_errors.empty());
  const auto root = folder.path().string();
  EXPECT_NE(seen.handler_errors[0].error.stack.find("TypeError: failed\n    at fail (" + root +
                                                    "/lib/fail.ts:3:9)\n"),
            std::string::npos)
      << seen.handler_errors[0].error.stack;
  EXPECT_NE(seen.handler_errors[0].error.stack.find(root + "/server.ts:7:3"), std::string::npos)
      << seen.handler_errors[0].error.stack;
  ASSERT_FALSE(seen.uncaught.empty());
  EXPECT_NE(seen.uncaught[0].error.stack.find(root + "/server.ts:5:11"), std::string::npos)
      << seen.uncaught[0].error.stack;
}

TEST_F(LoaderTest, FailsWithThePlaceWhenTheModuleThrows) {
  folder.write("server.ts",
               "const a: number = 1;\nthrow new Error('at load ' + a);\nexport default () => 1;");
  auto instance = createLoader();
  const auto loaded = call(instance, "load", "server.ts");
  EXPECT_EQ(text(loaded), "handler_error: at load 1");
  const auto seen = observer->waitFor([](const auto& all) { return !all.handler_errors.empty(); });
  ASSERT_FALSE(seen.handler_errors.empty());
  EXPECT_NE(seen.handler_errors[0].error.stack.find("/server.ts:2:7"), std::string::npos)
      << seen.handler_errors[0].error.stack;
}

TEST_F(LoaderTest, AStallNamesTheSourceOfTheAuthor) {
  options.limits.watchdog = std::chrono::milliseconds(200);
  options.limits.terminate = std::chrono::milliseconds(400);
  folder.write("server.ts",
               "interface Unused { a: 1 }\n\nexport default () => {\n  for (;;) {}\n};\n");
  auto instance = createLoader();
  ASSERT_TRUE(call(instance, "load", "server.ts").ok());
  EXPECT_FALSE(call(instance, "run").ok());
  EXPECT_NE(observer->waitForEnd().stack.find("/server.ts:4:"), std::string::npos)
      << observer->waitForEnd().stack;
}

TEST_F(LoaderTest, AnEndlessLoopWhileLoadingCanBeEnded) {
  folder.write("server.ts", "console.log('in');\nwhile (true) {}\nexport default () => 1;");
  auto instance = createLoader();
  auto loading = start(instance, "load", "server.ts");
  observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(loading.get().error().code, errc::kPluginNotRunning);
}

TEST_F(LoaderTest, ExitWhileLoadingEndsTheEnvironment) {
  folder.write("server.ts", "process.exit(4);\nexport default () => 1;");
  auto instance = createLoader();
  EXPECT_FALSE(call(instance, "load", "server.ts").ok());
  EXPECT_EQ(observer->waitForEnd().exit_code, 4);
}

TEST_F(LoaderTest, SeesChangesDespiteItsCache) {
  folder.write("server.ts", "import { v } from './lib/v'; export default () => v;");
  folder.write("lib/v.ts", "export const v = 'first';");
  EXPECT_EQ(run("server.ts"), "first");
  EXPECT_TRUE(std::filesystem::exists(options.cache_dir / "server.build"));
  EXPECT_EQ(run("server.ts"), "first") << "from the cache";
  folder.write("lib/v.ts", "export const v = 'second!';");
  EXPECT_EQ(run("server.ts"), "second!");
  folder.write("lib/v/index.ts", "export const v = 'folder';");
  std::filesystem::remove(folder.path() / "lib" / "v.ts");
  EXPECT_EQ(run("server.ts"), "folder");
  folder.write("lib/v.ts", "export const v = 'file again';");
  EXPECT_EQ(run("server.ts"), "file again") << "a new file shadows what was found before";
}

TEST_F(LoaderTest, NeedsNoBuilderForAnUnchangedEntry) {
  folder.write("server.ts", "export default () => 'kept';");
  EXPECT_EQ(run("server.ts"), "kept");
  Runtime without_builder(RuntimeOptions{.share = "/nowhere",
                                         .kill_children_after = std::chrono::milliseconds(1),
                                         .keep_spare = false,
                                         .log = nullptr});
  std::promise<Result<Instance>> created;
  without_builder.create(taken(),
                         [&](Result<Instance> result) { created.set_value(std::move(result)); });
  auto instance = created.get_future().get();
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(text(call(instance.value(), "load", "server.ts")), "default");
}

TEST_F(LoaderTest, AFifoOfAPackageIsNotOpened) {
  folder.write("node_modules/dep/package.json",
               R"({ "name": "dep", "type": "module", "main": "pipe.js" })");
  ASSERT_EQ(::mkfifo((folder.path() / "node_modules/dep/pipe.js").c_str(), 0600), 0);
  folder.write("server.ts", "import 'dep'; export default () => 'loaded'");
  EXPECT_THAT(run("server.ts"), ::testing::HasSubstr("pipe.js is no file: it cannot be read"));
}

TEST_F(LoaderTest, ABundlerThatWasKilledIsStartedAgain) {
  folder.write("server.ts", "export default () => 'first'");
  EXPECT_EQ(run("server.ts"), "first");
  const auto bundlers = [] {
    std::vector<pid_t> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream children(task.path() / "children");
      for (pid_t child = 0; children >> child;) {
        std::ifstream command("/proc/" + std::to_string(child) + "/cmdline");
        const std::string words{std::istreambuf_iterator<char>(command), {}};
        if (words.find("--service=") != std::string::npos) {
          found.push_back(child);
        }
      }
    }
    return found;
  }();
  ASSERT_EQ(bundlers.size(), 1U);
  ASSERT_EQ(::kill(bundlers.front(), SIGKILL), 0);
  folder.write("server.ts", "export default () => 'second'");
  EXPECT_EQ(run("server.ts"), "second");
}

TEST_F(LoaderTest, ResolvesTheSdkToTheCopyOfTheService) {
  ScratchFolder share;
  std::filesystem::create_directory_symlink(std::filesystem::path(SVC_TEST_SHARE) / "toolchain",
                                            share.path() / "toolchain");
  share.write("sdk/dist/index.js",
              "export const sdk = 'service copy'; export default (svc) => svc;");
  share.write("sdk/dist/testing.js", "export const where = 'subpath';");
  folder.write("node_modules/@get-svc/plugin-sdk/index.js",
               "module.exports = { sdk: 'own copy' };");
  folder.write("server.ts", R"(
    import { sdk } from "@get-svc/plugin-sdk";
    import { where } from "@get-svc/plugin-sdk/testing";
    export default () => sdk + " " + where;)");
  Runtime other(RuntimeOptions{.share = share.path(), .keep_spare = false});
  options.parts = {{"test", kLoaderPart}};
  std::promise<Result<Instance>> created;
  other.create(taken(), [&](Result<Instance> result) { created.set_value(std::move(result)); });
  const auto instance = created.get_future().get().value();
  EXPECT_EQ(text(call(instance, "load", "server.ts")), "default");
  EXPECT_EQ(text(call(instance, "run")), "service copy subpath");
}

TEST_F(LoaderTest, SaysWhatIsMissingWhenTheToolchainIsNotThere) {
  folder.write("server.ts", "export default () => 1;");
  Runtime other(RuntimeOptions{.share = "/nowhere", .keep_spare = false});
  options.parts = {{"test", kLoaderPart}};
  std::promise<Result<Instance>> created;
  other.create(taken(), [&](Result<Instance> result) { created.set_value(std::move(result)); });
  const auto instance = created.get_future().get().value();
  const auto loaded = text(call(instance, "load", "server.ts"));
  EXPECT_NE(loaded.find("esbuild is missing in /nowhere/toolchain"), std::string::npos) << loaded;
}

}  // namespace
}  // namespace svc::jsruntime
