#include "starter.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "unit/hostworkers/temp_directory.h"

namespace svc::pty {
namespace {

TEST(OpenRequestTest, IsReadWhole) {
  const auto request = parseOpenRequest(
      R"({"type":"terminal.open","terminalId":"t","cwd":null,"cols":80,"rows":24,"start":{"mode":"command","command":"ls -l"},"env":{"SVC_X":"1"}})");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request.value().id, "t");
  EXPECT_EQ(request.value().cwd, "");
  EXPECT_EQ(request.value().size.columns, 80);
  EXPECT_EQ(request.value().size.rows, 24);
  EXPECT_EQ(request.value().command, "ls -l");
  EXPECT_EQ(request.value().environment.at("SVC_X"), "1");
}

TEST(OpenRequestTest, NonsenseIsRefused) {
  const auto refused = [](const std::string& size, const std::string& start) {
    return parseOpenRequest(R"({"terminalId":"t","cwd":"/",)" + size + R"(,"start":)" + start +
                            R"(,"env":{}})")
               .error()
               .code == errc::kInvalidInput;
  };
  const std::string shell = R"({"mode":"shell"})";
  for (const auto* size :
       {R"("cols":0,"rows":24)", R"("cols":1001,"rows":24)", R"("cols":80,"rows":-1)",
        R"("cols":80.5,"rows":24)", R"("cols":"80","rows":24)", R"("rows":24)"}) {
    EXPECT_TRUE(refused(size, shell)) << size;
  }
  for (const auto* start : {"{}", R"({"mode":"command"})", R"({"mode":"command","command":""})",
                            R"({"mode":"other"})", R"({"mode":"command","command":"a\u0000b"})"}) {
    EXPECT_TRUE(refused(R"("cols":80,"rows":24)", start)) << start;
  }
}

/// A home with a profile, and svc in a directory of its own.
class StarterPathTest : public ::testing::TestWithParam<const char*> {
 protected:
  StarterPathTest() {
    directory.write("b'in/svc", "#!/bin/sh\necho it is svc\n");
    std::filesystem::permissions(directory.path() / "b'in/svc", std::filesystem::perms::owner_all);
    directory.write("home/.profile", kSets);
  }
  /// What comes of it at the terminal, until it ends.
  std::string outputOf(const std::string& command, const std::string& typed) {
    Starter starter({{"HOME", (directory.path() / "home").string()},
                     {"SHELL", GetParam()},
                     {"PATH", "/usr/bin:/bin"}},
                    directory.path() / "b'in", directory.path() / "runs");
    OpenRequest request;
    request.id = "t";
    request.command = command;
    request.size = {.rows = 24, .columns = 200};
    auto started = starter.start(request, "");
    EXPECT_TRUE(started.ok()) << started.error().message;
    const auto terminal = started.value().here.get();
    EXPECT_EQ(::write(terminal, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
    std::string output;
    std::array<char, 4096> buffer{};
    pollfd ready{.fd = terminal, .events = POLLIN, .revents = 0};
    constexpr int kPatienceMs = 60'000;
    while (::poll(&ready, 1, kPatienceMs) == 1) {
      const auto length = ::read(terminal, buffer.data(), buffer.size());
      if (length <= 0) {
        break;
      }
      output.append(buffer.data(), static_cast<std::size_t>(length));
    }
    started.value().child.reap();
    return output;
  }

  static constexpr std::string_view kSets = "export PATH=/usr/bin:/bin\nexport FROM_PROFILE=yes\n";
  svc::test::TempDirectory directory;
};

TEST_P(StarterPathTest, SvcIsFoundWhereTheProfileSetsPath) {
  const auto typed = outputOf("", "svc; echo profile:$FROM_PROFILE:$-\nexit\n");
  EXPECT_THAT(typed, ::testing::HasSubstr("it is svc"));
  EXPECT_THAT(typed, ::testing::ContainsRegex("profile:yes:[a-zA-Z]*i")) << "it is interactive";
  EXPECT_THAT(outputOf("svc", ""), ::testing::HasSubstr("it is svc"));
}

TEST_P(StarterPathTest, AProfileThatKeepsPathHasItsLoginShell) {
  directory.write("home/.profile", "PATH=\"$PATH:" + (directory.path() / "b'in").string() + "\"\n");
  const auto typed = outputOf("", "svc; echo name:$0:\nexit\n");
  EXPECT_THAT(typed, ::testing::HasSubstr("it is svc"));
  EXPECT_THAT(typed, ::testing::HasSubstr("name:-"));
}

std::vector<const char*> shellsOfThisMachine() {
  std::vector<const char*> there;
  for (const auto* shell : {"/bin/bash", "/bin/dash"}) {
    if (::access(shell, X_OK) == 0) {
      there.push_back(shell);
    }
  }
  return there;
}
INSTANTIATE_TEST_SUITE_P(Shells, StarterPathTest, ::testing::ValuesIn(shellsOfThisMachine()),
                         [](const auto& entry) {
                           return std::filesystem::path(entry.param).filename().string();
                         });

}  // namespace
}  // namespace svc::pty
