#include "npm_test_run.h"

#include <poll.h>

#include <array>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/fd.h"

#include "temp_tree.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// An npm of the test comes first on PATH.
class NpmTestRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const path = std::getenv("PATH");
    path_before = path == nullptr ? "" : path;
    ::setenv("PATH", (tree.path().string() + "/bin:" + path_before).c_str(), 1);
    tree.write("package.json", R"({"scripts":{"test":"vitest run"}})");
    auto made = base::makePipe();
    ASSERT_TRUE(made.ok());
    pipe = std::move(made).value();
  }
  void TearDown() override { ::setenv("PATH", path_before.c_str(), 1); }
  void npm(const std::string& script) {
    tree.write("bin/npm", "#!/bin/sh\n" + script);
    fs::permissions(tree.path() / "bin/npm", fs::perms::owner_all);
  }
  static void awaitEnd(NpmTestRun& run) {
    pollfd entry{.fd = run.descriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&entry, 1, 30'000), 1);
  }
  std::string written() {
    std::array<char, 4096> text{};
    const auto count = base::readSome(pipe.read.get(), text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0))};
  }

  TempTree tree;
  std::string path_before;
  base::Pipe pipe;
};

TEST_F(NpmTestRunTest, RunsNpmTestInThePluginAndShowsItsOutput) {
  npm("echo \"$1 in $PWD\"; exit 0\n");
  NpmTestRun run(tree.path(), pipe.write.get());
  EXPECT_EQ(run.descriptor(), -1);
  ASSERT_TRUE(run.start().ok());
  awaitEnd(run);
  EXPECT_EQ(run.takeEnd(), "Tests passed.");
  EXPECT_EQ(run.takeEnd(), std::nullopt);
  EXPECT_EQ(run.descriptor(), -1);
  EXPECT_EQ(written(), "test in " + tree.path().string() + "\n");
}

TEST_F(NpmTestRunTest, SaysHowTestsFailed) {
  npm("exit 3\n");
  NpmTestRun run(tree.path(), pipe.write.get());
  ASSERT_TRUE(run.start().ok());
  awaitEnd(run);
  EXPECT_EQ(run.takeEnd(), "Tests failed: npm test ended with exit status 3");
}

TEST_F(NpmTestRunTest, EndsTestsThatStillRunAndShowsTheCursorAgain) {
  npm("trap 'echo ended; exit 1' TERM; echo runs; while :; do sleep 0.01; done\n");
  {
    NpmTestRun run(tree.path(), pipe.write.get());
    ASSERT_TRUE(run.start().ok());
    EXPECT_EQ(written(), "runs\n");
    EXPECT_EQ(run.takeEnd(), std::nullopt);
  }
  EXPECT_THAT(written(), ::testing::AllOf(HasSubstr("ended"), HasSubstr("\x1b[?25h")));
}

TEST_F(NpmTestRunTest, SaysWhatIsMissing) {
  NpmTestRun run(tree.path(), pipe.write.get());
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_THAT(run.start().error().message, HasSubstr("npm is not on PATH"));
  tree.write("package.json", R"({"scripts":{"build":"x"}})");
  EXPECT_THAT(run.start().error().message, HasSubstr("add \"test\" to its scripts"));
  fs::remove(tree.path() / "package.json");
  EXPECT_THAT(run.start().error().message, HasSubstr("package.json cannot be read"));
}

}  // namespace
}  // namespace svc::client
