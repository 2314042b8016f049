#include "logging.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

using ::testing::HasSubstr;

/// Standard error is a pipe that nobody reads.
class LoggingTest : public ::testing::Test {
 protected:
  LoggingTest() {
    directory_ = fmt::format("{}/logging-{}", ::testing::TempDir(), ::getpid());
    std::filesystem::create_directories(directory_);
    EXPECT_EQ(::pipe2(pipe_.data(), O_CLOEXEC), 0);
    const int real = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(pipe_[1], STDERR_FILENO);
    logging_ = std::make_unique<Logging>(
        Logging::create({.level = "info", .format = "json", .file = directory_ / "test.log"})
            .value());
    ::dup2(real, STDERR_FILENO);
    ::close(real);
  }
  LoggingTest(const LoggingTest&) = delete;
  LoggingTest& operator=(const LoggingTest&) = delete;
  ~LoggingTest() override {
    logging_.reset();
    ::close(pipe_[0]);
    ::close(pipe_[1]);
    std::filesystem::remove_all(directory_);
  }

  std::filesystem::path directory_;
  std::array<int, 2> pipe_{};
  std::unique_ptr<Logging> logging_;
};

TEST_F(LoggingTest, AStandardErrorThatNobodyReadsHoldsNobodyUpAndTheFileHasEverything) {
  constexpr int kLines = 20'000;
  const auto log = logging_->logger("test");
  for (int number = 0; number < kLines; ++number) {
    log->info("line {}", number);
  }
  logging_->flush();
  std::ifstream file(directory_ / "test.log");
  std::string text;
  for (int number = 0; number < kLines; ++number) {
    ASSERT_TRUE(std::getline(file, text));
    ASSERT_THAT(text, HasSubstr(fmt::format("\"message\":\"line {}\"", number)));
  }
}

TEST_F(LoggingTest, AFileThatWasMovedAwayIsThereAgainWithTheNextLine) {
  const auto log = logging_->logger("test");
  const auto file = directory_ / "test.log";
  log->info("before");
  std::filesystem::rename(file, directory_ / "test.log.old");
  log->info("after");
  std::ifstream in(file);
  std::string text;
  ASSERT_TRUE(std::getline(in, text));
  EXPECT_THAT(text, HasSubstr("after"));
  EXPECT_FALSE(std::getline(in, text));
}

TEST_F(LoggingTest, NoProgramThatIsStartedInheritsTheFile) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) == directory_ / "test.log") {
      ++found;
      EXPECT_NE(::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0);
    }
  }
  EXPECT_EQ(found, 1);
}

TEST_F(LoggingTest, ALineIsOutWhenTheCallReturns) {
  logging_->logger("test")->warn("said");
  std::array<char, 256> bytes{};
  ::fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
  const auto count = ::read(pipe_[0], bytes.data(), bytes.size());
  ASSERT_GT(count, 0);
  EXPECT_THAT(std::string(bytes.data(), static_cast<std::size_t>(count)),
              HasSubstr(R"("level":"warning","logger":"test","message":"said"})"));
}

}  // namespace
}  // namespace svc::kernel
