// The first hour of a plugin's author: every command that is printed works when it is pasted.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr const char* kKept = "(the previous instance is still running)";

/// npm as far as a new plugin needs it: the packages of this repository and no registry. The SDK is what the test is
/// about, so it is unpacked from the file that the command names.
constexpr const char* kNpm = R"(#!/bin/sh
[ "$1" = view ] && { echo 'npm error code E404' >&2; exit 1; }
[ "$2" = --package-lock-only ] && exit 0
for tarball; do :; done
mkdir -p node_modules/@get-svc/plugin-sdk
for package in "$SVC_TEST_PACKAGES"/*; do
  case "$package" in */@get-svc|*/svc-plugin-*) ;; *) ln -s "$package" node_modules/ ;; esac
done
tar -xzf "$tarball" -C node_modules/@get-svc/plugin-sdk --strip-components=1
)";

class AuthoringTest : public ServerTest {
 protected:
  void SetUp() override {
    fs::create_directory(author.path() / "bin");
    write("bin/npm", kNpm);
    fs::permissions(author.path() / "bin/npm", fs::perms::owner_all);
    fs::create_symlink(SVC_TEST_SVC, author.path() / "bin/svc");
  }
  /// A line of shell, typed in a directory below the author's.
  [[nodiscard]] Command shell(const std::string& line, const std::string& directory) const {
    return {.argv = {"/bin/sh", "-c",
                     "export PATH='" + (author.path() / "bin").string() + "':\"$PATH\"; " + line},
            .directory = author.path() / directory,
            .environment = {{"SVC_SERVER_URL", server.url()},
                            {"SVC_TEST_PACKAGES", SVC_TEST_SOURCE_DIR "/node_modules"}}};
  }
  Outcome type(const std::string& line, const std::string& directory = "svc-plugin-hello") {
    return runCommand(shell(line, directory));
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    std::ifstream in(author.path() / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(author.path() / file) << text;
  }
  /// As an editor saves: a new file is renamed over the old one.
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    const auto path = author.path() / "svc-plugin-hello" / file;
    auto text = read("svc-plugin-hello/" + file);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    write("svc-plugin-hello/" + file + ".new", text);
    fs::rename(path.string() + ".new", path);
  }
  static void insert(std::string& text, const std::string& before, const std::string& added) {
    const auto at = text.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    text.insert(at, added);
  }
  void install() {
    ASSERT_EQ(type("svc plugin new hello", "").exit_code, 0);
    const auto installed = type("svc plugin install . --yes");
    ASSERT_EQ(installed.exit_code, 0) << installed.out << installed.err;
  }

  TempDir author;
};

TEST_P(AuthoringTest, GoesFromNothingToALivePlugin) {
  const auto made = type("svc plugin new hello", "");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out,
            "Created svc-plugin-hello/ (svc-plugin-hello).\n"
            "Installing dependencies…\n"
            "Dependencies installed.\n"
            "Next steps:\n"
            "  cd svc-plugin-hello\n"
            "  svc plugin install .\n"
            "  svc plugin dev\n");
  EXPECT_THAT(made.err, HasSubstr("is the copy that comes with this svc"));
  const auto current = type("svc plugin types --check");
  EXPECT_EQ(current.exit_code, 0) << current.out;
  EXPECT_THAT(current.out, StartsWith("SDK "));

  const auto installed = type("cd svc-plugin-hello && svc plugin install . --yes", "");
  ASSERT_EQ(installed.exit_code, 0) << installed.out << installed.err;
  EXPECT_THAT(installed.out, HasSubstr("hello@0.1.0  running"));
  EXPECT_EQ(type("svc hello list").out, "No todos.\n");

  Child dev(shell("exec svc plugin dev", "svc-plugin-hello"));
  EXPECT_EQ(dev.readLine(), "Watching " + (author.path() / "svc-plugin-hello").string() +
                                " for plugin \"hello\" (frontend rebuild + reload on change) — "
                                "Ctrl+C to stop.");
  EXPECT_THAT(dev.readLine().value_or(dev.errorText()),
              MatchesRegex("initial build · rebuilt app in [0-9]+ms · reloaded hello"));
  replace("server.ts", "No todos.", "Nothing to do.");
  EXPECT_THAT(dev.readLine().value_or(""),
              MatchesRegex("1 file changed · rebuilt app in [0-9]+ms · reloaded hello"));
  EXPECT_EQ(type("svc hello list").out, "Nothing to do.\n");

  // What docs/tutorial.md adds.
  auto source = read("svc-plugin-hello/server.ts");
  insert(
      source, "  todos_list: { input",
      "  todos_count: { input: null, output: z.object({ all: z.number(), open: z.number() }) },\n");
  insert(source, "    todos_list: async",
         "    todos_count: async () => {\n"
         "      const list = await todos.all();\n"
         "      return { all: list.length, open: list.filter((todo) => !todo.done).length };\n"
         "    },\n");
  write("svc-plugin-hello/server.ts", source);
  EXPECT_THAT(dev.readLine().value_or(""), EndsWith("reloaded hello"));
  EXPECT_EQ(type("svc plugin rpc call hello todos_count").out, "{\"all\":0,\"open\":0}\n");
  dev.signal(SIGTERM);
  const auto ended = dev.wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0);
}

TEST_P(AuthoringTest, KeepsTheRunningPluginWhenSomethingIsWrong) {
  install();
  Child dev(shell("exec svc plugin dev", "svc-plugin-hello"));
  static_cast<void>(dev.readLine());
  EXPECT_THAT(dev.readLine().value_or(""), EndsWith("reloaded hello"));

  replace("server.ts", "export default", "export default (");
  EXPECT_THAT(dev.readLine().value_or(""), AllOf(StartsWith("1 file changed · "),
                                                 HasSubstr(" · reload failed: "), EndsWith(kKept)));
  replace("server.ts", "export default (", "export default");
  EXPECT_THAT(dev.readLine().value_or(""), EndsWith("reloaded hello"));

  replace("app.tsx", "export default", "export default (");
  EXPECT_THAT(dev.readLine().value_or(""),
              AllOf(StartsWith("1 file changed · build failed: app.tsx:"),
                    EndsWith(" — fix and save to retry")));
  EXPECT_THAT(server.record("hello")["statusDetail"].asString(),
              HasSubstr("frontend bundle build failed: app.tsx:"));
  EXPECT_EQ(server.record("hello")["status"].asString(), "running");
  replace("app.tsx", "export default (", "export default");
  EXPECT_THAT(dev.readLine().value_or(""),
              MatchesRegex("1 file changed · rebuilt app in [0-9]+ms · reloaded hello"));
  EXPECT_TRUE(server.record("hello")["statusDetail"].isNull());

  replace("package.json", "\"name\"", "\"name");
  EXPECT_THAT(dev.readLine().value_or(""),
              AllOf(StartsWith("1 file changed · manifest read failed: package.json is not valid"),
                    EndsWith(" — fix and save to retry")));
  EXPECT_EQ(type("svc hello list").out, "No todos.\n");
}

TEST_P(AuthoringTest, WatchesOnWithoutAServer) {
  install();
  Child dev(shell("exec svc plugin dev", "svc-plugin-hello"));
  static_cast<void>(dev.readLine());
  EXPECT_THAT(dev.readLine().value_or(""), EndsWith("reloaded hello"));
  EXPECT_EQ(server.stop().exit_code, 0);
  replace("server.ts", "No todos.", "Nothing to do.");
  EXPECT_THAT(dev.readLine().value_or(""), HasSubstr(" · reload failed: nothing answers at "));
  dev.signal(SIGINT);
  const auto ended = dev.wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0);
  EXPECT_EQ(ended->err, "");
}

TEST_P(AuthoringTest, NamesTheInstallCommandForADirectoryThatIsNotInstalled) {
  ASSERT_EQ(type("svc plugin new hello", "").exit_code, 0);
  const auto refused = type("svc plugin dev svc-plugin-hello", "");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, EndsWith("svc-plugin-hello is not installed\n"
                                    "hint: svc plugin install svc-plugin-hello\n"));
}

SVC_WITH_STORAGE_ON_DISK(AuthoringTest);

}  // namespace
}  // namespace svc::test
