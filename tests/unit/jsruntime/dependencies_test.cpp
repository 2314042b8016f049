// The dependencies of an entry are bundled apart from the author's files, and nobody can tell.
#include "loader_fixture.h"

namespace svc::jsruntime {
namespace {

namespace fs = std::filesystem;

class DependenciesTest : public LoaderFixture {
 protected:
  static constexpr const char* kEsModule = R"({ "type": "module", "main": "index.js" })";

  void package(const std::string& name, const std::string& source,
               const std::string& manifest = kEsModule) const {
    folder.write("node_modules/" + name + "/package.json", manifest);
    folder.write("node_modules/" + name + "/index.js", source);
  }
  /// Loads an entry that differs from all before it, so that it is built.
  std::string runChanged(const std::string& source) {
    folder.write("server.ts", source + "\n// " + std::to_string(++edits_));
    return run("server.ts");
  }
  [[nodiscard]] fs::path kept(const std::string& name) const { return options.cache_dir / name; }
  [[nodiscard]] bool areApart() const {
    return content(kept("dependencies.json")).find("\"digest\"") != std::string::npos;
  }
  static std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void damage(const std::string& name) const {
    ASSERT_TRUE(fs::exists(kept(name))) << name;
    auto text = content(kept(name));
    text.replace(text.size() / 2, 3, "###");
    std::ofstream(kept(name), std::ios::binary) << text;
  }

  const std::string counter_ = "let n = 0; export const next = () => ++n;";
  const std::string count_ = "import { next } from 'counter'; export default () => next();";

 private:
  int edits_ = 0;
};

TEST_F(DependenciesTest, AreKeptWhileTheAuthorsFilesChangeAndFreshInEachEnvironment) {
  package("counter", counter_ + " export const mark = 'text of the package';");
  EXPECT_EQ(runChanged(count_), "1");
  const auto text = kept("dependencies.cjs");
  EXPECT_NE(content(text).find("text of the package"), std::string::npos);
  EXPECT_EQ(content(kept("server.build")).find("text of the package"), std::string::npos);
  const auto written = fs::last_write_time(text);
  EXPECT_EQ(runChanged(count_), "1");
  EXPECT_EQ(run("server.ts"), "1") << "from the cache";
  EXPECT_EQ(fs::last_write_time(text), written);
}

TEST_F(DependenciesTest, AreBuiltAgainWhenAnyOfTheirFilesChanges) {
  folder.write("server.ts", "import { v } from 'pkg'; export default () => v;");
  package("pkg", "export { v } from './inner/v.js';");
  folder.write("node_modules/pkg/inner/v.js", "export const v = 'first';");
  EXPECT_EQ(run("server.ts"), "first");
  folder.write("node_modules/pkg/inner/v.js", "export const v = 'edited inside';");
  EXPECT_EQ(run("server.ts"), "edited inside");
  folder.write("node_modules/pkg/other.js", "export const v = 'other main';");
  folder.write("node_modules/pkg/package.json",
               R"({ "type": "module", "exports": { "import": "./other.js" } })");
  EXPECT_EQ(run("server.ts"), "other main");
  package("v", "export const v = 'of a package';");
  folder.write("node_modules/pkg/other.js", "export { v } from 'v';");
  EXPECT_EQ(run("server.ts"), "of a package");
  folder.write("node_modules/pkg/node_modules/v/package.json", kEsModule);
  folder.write("node_modules/pkg/node_modules/v/index.js", "export const v = 'of a nearer one';");
  EXPECT_EQ(run("server.ts"), "of a nearer one");
  EXPECT_TRUE(areApart());
}

TEST_F(DependenciesTest, FollowTheImportsOfTheAuthor) {
  package("a", "export default 'a';");
  package("b", "export default 'b';");
  EXPECT_EQ(runChanged("import a from 'a'; export default () => a;"), "a");
  EXPECT_EQ(runChanged("import a from 'a'; import b from 'b'; export default () => a + b;"), "ab");
  EXPECT_EQ(runChanged("import b from 'b'; export default () => b;"), "b");
  fs::remove_all(folder.path() / "node_modules" / "a");
  EXPECT_EQ(runChanged("import b from 'b'; export default () => b + b;"), "bb");
  EXPECT_EQ(runChanged("export default () => 'none';"), "none");
}

TEST_F(DependenciesTest, ShareOneInstanceOfAThird) {
  package("counter", counter_);
  package("left", "export { next as left } from 'counter';");
  package("right", "import { next } from 'counter'; export const right = () => next();");
  folder.write("node_modules/right/sub.js", "export { next as sub } from 'counter';");
  package("common", "exports.next = require('counter').next;", R"({ "main": "index.js" })");
  folder.write("node_modules/left/again.mjs",
               "import { createRequire } from 'node:module'; import common from 'common';\n"
               "export const same = createRequire(import.meta.url)('common') === common;");
  EXPECT_EQ(runChanged(R"(
    import { left } from "left"; import { right } from "right"; import { sub } from "right/sub.js";
    import { next } from "counter"; import common from "common"; import { same } from "left/again.mjs";
    export default async () =>
      [left(), right(), sub(), next(), (await import("counter")).next(), same, typeof common.next].join();)"),
            "1,2,3,4,5,true,function");
  EXPECT_TRUE(areApart());
}

TEST_F(DependenciesTest, ExportAsEsModulesDo) {
  package("live",
          "export let n = 0; export const set = (to) => { n = to; }; export { n as 'odd name' };\n"
          "export default class Main {}; export const __strict = (function () { return this === "
          "undefined; })();");
  EXPECT_EQ(runChanged(R"(
    import Main, { n, set, __strict, "odd name" as odd } from "live";
    import * as all from "live";
    import { createRequire } from "node:module";
    export default async () => {
      set(7);
      const late = await import("live");
      return [n, odd, all.n, late.n, all.default === Main, late.default === Main, Main.name, __strict, Object.keys(all).sort().join(" ")].join();
    };)"),
            "7,7,7,7,true,true,Main,true,__strict default n odd name set");
  EXPECT_TRUE(areApart());
}

TEST_F(DependenciesTest, RunWhenAndWhereTheyAreImported) {
  package("first", "globalThis.seen = ['first'];");
  package("lazy", "globalThis.seen.push('lazy'); export const v = 1;");
  package("last", "globalThis.seen.push('last');");
  folder.write("own.ts", "(globalThis as any).seen.push('own');");
  EXPECT_EQ(runChanged(R"(
    import "first"; import "./own.js"; import "last";
    export default async () => {
      await import("lazy"); await import("lazy");
      return (globalThis as any).seen.join();
    };)"),
            "first,own,last,lazy");
  EXPECT_TRUE(areApart());
}

TEST_F(DependenciesTest, SeeTheirOwnPlace) {
  package("reader", R"(
    import { readFileSync } from "node:fs";
    import { dirname } from "node:path";
    import { fileURLToPath } from "node:url";
    export const text = readFileSync(new URL("./beside.txt", import.meta.url), "utf8") +
      readFileSync(dirname(fileURLToPath(import.meta.url)) + "/beside.txt", "utf8") + import.meta.dirname;
    export const computed = (name) => import("./" + name);)");
  folder.write("node_modules/reader/beside.txt", "beside ");
  folder.write("node_modules/reader/more.js", "export default 'more';");
  EXPECT_EQ(runChanged(R"(
    import { text, computed } from "reader";
    export default async () => text + " " + (await computed("more.js")).default;)"),
            "beside beside " + (folder.path() / "node_modules/reader").string() + " more");
  EXPECT_TRUE(areApart());
}

TEST_F(DependenciesTest, AnImportThatTheyDoNotExportIsRefused) {
  package("pkg", "export const there = 1;");
  EXPECT_EQ(runChanged("import { there } from 'pkg'; export default () => there;"), "1");
  const auto refused = runChanged("import { gone } from 'pkg'; export default () => gone;");
  EXPECT_NE(refused.find("server.ts:1:10: No matching export in \"node_modules/pkg/index.js\" for "
                         "import \"gone\""),
            std::string::npos)
      << refused;
  EXPECT_EQ(runChanged("import { there } from 'pkg'; export default () => there + 1;"), "2");
}

TEST_F(DependenciesTest, WhatOnlyRunsTogetherStaysTogether) {
  package("waits", "export const v = await Promise.resolve('awaited');");
  EXPECT_EQ(runChanged("import { v } from 'waits'; export default () => v;"), "awaited");
  EXPECT_EQ(runChanged("import { v } from 'waits'; export default () => v + v;"), "awaitedawaited");
  EXPECT_FALSE(areApart());
  package("star", "export * from './rest.cjs';");
  folder.write("node_modules/star/rest.cjs", "exports['un' + 'known'] = 'found';");
  EXPECT_EQ(runChanged("import { unknown } from 'star'; export default () => unknown;"), "found");
  EXPECT_EQ(runChanged("import { unknown as u } from 'star'; export default () => u + 1;"),
            "found1");
  EXPECT_FALSE(areApart());
  package("star", "export const unknown = 'known now';");
  EXPECT_EQ(runChanged("import { unknown } from 'star'; export default () => unknown;"),
            "known now");
  EXPECT_TRUE(areApart());
}

TEST_F(DependenciesTest, ALinkedPackageIsTheAuthorsOwn) {
  const ScratchFolder workspace;
  workspace.write("shared/package.json", kEsModule);
  const std::string module = "let n = 0; export const next = () => '";
  workspace.write("shared/index.js", module + "' + ++n;");
  package("uses-shared", "export { next as other } from 'shared';");
  fs::create_directory_symlink(workspace.path() / "shared", folder.path() / "node_modules/shared");
  fs::rename(folder.path() / "node_modules", workspace.path() / "node_modules");
  fs::create_directory_symlink(workspace.path() / "node_modules", folder.path() / "node_modules");
  const std::string source =
      "import { next } from 'shared'; import { other } from 'uses-shared';\n"
      "export default () => next() + other();";
  EXPECT_EQ(runChanged(source), "12") << "one instance";
  workspace.write("shared/index.js", module + "edited ' + ++n;");
  EXPECT_EQ(run("server.ts"), "edited 1edited 2");
  EXPECT_FALSE(areApart());
}

TEST_F(DependenciesTest, DamagedFilesAreReplaced) {
  package("counter", counter_);
  const std::string source =
      "import { next } from 'counter'; export default async () => {\n"
      "  await new Promise((done) => setImmediate(done));\n  return next(); };";
  EXPECT_EQ(runChanged(source), "1");
  EXPECT_EQ(runChanged(source), "1");
  for (const auto* name : {"dependencies.cjs", "dependencies.json", "dependencies.compiled"}) {
    damage(name);
    EXPECT_EQ(runChanged(source), "1") << name;
    EXPECT_TRUE(areApart()) << name;
    damage(name);
    EXPECT_EQ(run("server.ts"), "1") << name << ", and the entry from the cache";
    fs::remove(kept(name));
    EXPECT_EQ(runChanged(source), "1") << name << " is gone";
    EXPECT_TRUE(fs::exists(kept(name))) << name;
  }
}

TEST_F(DependenciesTest, CanBeDoneWithoutAFolder) {
  package("counter", counter_);
  fs::create_directories(options.cache_dir.parent_path());
  std::ofstream(options.cache_dir) << "a file where the folder would be";
  EXPECT_EQ(runChanged(count_), "1");
}

TEST_F(DependenciesTest, StacksNameTheirFilesAndTheAuthors) {
  package("calls", "\n\nexport function call(what) {\n  return what();\n}");
  folder.write("server.ts", R"(import { call } from "calls";
interface Unused { a: string }
export default () =>
  call(() => {
    throw new Error("inside");
  });)");
  auto instance = createLoader();
  ASSERT_TRUE(call(instance, "load", "server.ts").ok());
  EXPECT_FALSE(call(instance, "run").ok());
  const auto seen = observer->waitFor([](const auto& all) { return !all.handler_errors.empty(); });
  ASSERT_FALSE(seen.handler_errors.empty());
  const auto& stack = seen.handler_errors[0].error.stack;
  const auto server = (folder.path() / "server.ts").string();
  const auto thrown = stack.find(server + ":5:11");
  const auto between =
      stack.find("at call (" + (folder.path() / "node_modules/calls/index.js").string() + ":4:10)");
  EXPECT_LT(thrown, between) << stack;
  EXPECT_LT(between, stack.find(server + ":4:3")) << stack;
}

}  // namespace
}  // namespace svc::jsruntime
