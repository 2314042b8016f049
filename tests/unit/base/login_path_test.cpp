#include "svc/base/login_path.h"

#include <sys/stat.h>

#include <chrono>

#include <gmock/gmock.h>

#include "unit/plugins/temp_directory.h"

namespace svc::base {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class LoginPathTest : public ::testing::Test {
 protected:
  /// A shell that runs `text` instead of what it is asked.
  Environment shell(const std::string& text) {
    const auto file = directory_.write("shell", "#!/bin/sh\n" + text + "\n");
    ::chmod(file.c_str(), 0700);
    return {{"SHELL", file.string()}, {"PATH", "/daemon:/usr/bin:/bin"}};
  }
  test::TempDirectory directory_;
};

TEST_F(LoginPathTest, IsWhatTheLoginShellSays) {
  LoginPath path(shell("echo Welcome\nPATH=/tools:$PATH\n[ \"$1\" = -lc ] && eval \"$2\""));
  EXPECT_EQ(path.get(), "/tools:/daemon:/usr/bin:/bin");
}

TEST_F(LoginPathTest, IsAskedOnce) {
  const auto trace = (directory_.path() / "trace").string();
  LoginPath path(shell("echo x >> " + trace + "\neval \"$2\""));
  (void)path.get();
  (void)path.get();
  EXPECT_EQ(std::filesystem::file_size(trace), 2U);
}

TEST_F(LoginPathTest, FallsBackToThePathOfTheDaemon) {
  EXPECT_EQ(LoginPath(shell("exit 1")).get(), "/daemon:/usr/bin:/bin");
  EXPECT_EQ(LoginPath(shell("echo nonsense")).get(), "/daemon:/usr/bin:/bin");
  EXPECT_EQ(LoginPath(shell("yes")).get(), "/daemon:/usr/bin:/bin");
  EXPECT_THAT(LoginPath(Environment{{"SHELL", "/does/not/exist"}}).get(), HasSubstr("/usr/bin"));
}

TEST_F(LoginPathTest, AnAnswerCountsWhenTheShellDoesNotEnd) {
  EXPECT_EQ(LoginPath(shell("PATH=/tools; eval \"$2\"; /bin/sleep 600"), 2s).get(), "/tools");
}

TEST_F(LoginPathTest, AShellThatHangsIsGivenUp) {
  EXPECT_EQ(LoginPath(shell("sleep 600"), 100ms).get(), "/daemon:/usr/bin:/bin");
}

}  // namespace
}  // namespace svc::base
