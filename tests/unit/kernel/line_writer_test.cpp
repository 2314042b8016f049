#include "line_writer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

using ::testing::ElementsAre;

constexpr std::chrono::seconds kTooLong{10};

std::string line(std::size_t number) { return fmt::format("line {:>94}\n", number); }

/// The two ends of a pipe or socket pair; the test decides when it reads.
class LineWriterTest : public ::testing::TestWithParam<bool> {
 protected:
  LineWriterTest() {
    std::signal(SIGPIPE, SIG_IGN);
    const int made = GetParam() ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data())
                                : ::pipe2(ends_.data(), O_CLOEXEC);
    EXPECT_EQ(made, 0);
  }
  LineWriterTest(const LineWriterTest&) = delete;
  LineWriterTest& operator=(const LineWriterTest&) = delete;
  ~LineWriterTest() override {
    closeReader();
    ::close(ends_[1]);
  }

  [[nodiscard]] LineWriter::Options options(std::size_t limit) const {
    return {.fd = ends_[1], .limit = limit, .dropped = [](std::uint64_t count) {
              return fmt::format("dropped {}\n", count);
            }};
  }
  /// Fills what the system holds for a reader, and more.
  static void writeMany(LineWriter& writer, std::size_t count) {
    for (std::size_t number = 0; number < count; ++number) {
      writer.write(line(number));
    }
  }
  void closeReader() {
    if (ends_[0] >= 0) {
      ::close(std::exchange(ends_[0], -1));
    }
  }
  /// Everything up to a line that begins with `last`.
  std::vector<std::string> readUntil(const std::string& last) {
    std::vector<std::string> lines;
    std::string rest;
    std::array<char, 4096> bytes{};
    for (;;) {
      for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
        lines.push_back(rest.substr(0, end + 1));
        rest.erase(0, end + 1);
        if (lines.back().starts_with(last)) {
          return lines;
        }
      }
      const auto count = ::read(ends_[0], bytes.data(), bytes.size());
      if (count <= 0) {
        return lines;
      }
      rest.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }

  std::array<int, 2> ends_{-1, -1};
};
INSTANTIATE_TEST_SUITE_P(PipeAndSocket, LineWriterTest, ::testing::Bool());

TEST_P(LineWriterTest, ALineIsOutWhenTheCallReturns) {
  LineWriter writer(options(1000));
  writer.write("one\n");
  std::array<char, 16> bytes{};
  ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  EXPECT_EQ(::read(ends_[0], bytes.data(), bytes.size()), 4);
}

TEST_P(LineWriterTest, WithoutAReaderNothingWaitsAndWhatFitsComesLaterInOrder) {
  constexpr std::size_t kCount = 20'000;
  LineWriter writer(options(kCount * 100));
  writeMany(writer, kCount);
  writer.write("last\n");
  EXPECT_FALSE(writer.drain(std::chrono::milliseconds(1)));
  const auto lines = readUntil("last");
  ASSERT_EQ(lines.size(), kCount + 1);
  for (std::size_t number = 0; number < kCount; ++number) {
    ASSERT_EQ(lines[number], line(number));
  }
  EXPECT_TRUE(writer.drain(kTooLong));
}

TEST_P(LineWriterTest, BeyondTheLimitTheOldestGoAndAreCounted) {
  constexpr std::size_t kCount = 20'000;
  LineWriter writer(options(1000));
  writeMany(writer, kCount);
  writer.write("last\n");
  std::size_t next = 0;
  std::size_t dropped = 0;
  for (const auto& each : readUntil("last")) {
    if (each.starts_with("dropped ")) {
      dropped += std::stoul(each.substr(8));
      next += std::stoul(each.substr(8));
    } else if (each != "last\n") {
      ASSERT_EQ(each, line(next++));
    }
  }
  EXPECT_GT(dropped, 1000U);
  EXPECT_EQ(next, kCount);
}

TEST_P(LineWriterTest, AfterwardsLinesAreWrittenAtOnceAgain) {
  LineWriter writer(options(1000));
  writeMany(writer, 20'000);
  writer.write("last\n");
  readUntil("last");
  ASSERT_TRUE(writer.drain(kTooLong));
  writer.write("again\n");
  EXPECT_THAT(readUntil("again"), ElementsAre("again\n"));
}

TEST_P(LineWriterTest, ItsEndDoesNotWaitForAReader) {
  LineWriter writer(options(1'000'000));
  writeMany(writer, 20'000);
}

TEST_P(LineWriterTest, AReaderThatHasGoneIsNobodysLoss) {
  LineWriter writer(options(10'000'000));
  writeMany(writer, 20'000);
  closeReader();
  EXPECT_TRUE(writer.drain(kTooLong));
  writer.write("x\n");
  EXPECT_TRUE(writer.drain(std::chrono::milliseconds(0)));
}

TEST_P(LineWriterTest, OthersWhoHaveTheDescriptorStillWait) {
  LineWriter writer(options(1000));
  writer.write("one\n");
  EXPECT_EQ(::fcntl(ends_[1], F_GETFL) & O_NONBLOCK, 0);
}

TEST(LineWriterFileTest, AFileIsAppendedTo) {
  const auto path = fmt::format("{}/line-writer-{}", ::testing::TempDir(), ::getpid());
  std::ofstream(path) << "before\n";
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  {
    LineWriter writer({.fd = fd, .limit = 0, .dropped = {}});
    writer.write("one\n");
    writer.write("two\n");
  }
  ::close(fd);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "before\none\ntwo\n");
  ::unlink(path.c_str());
}

TEST(LineWriterFileTest, AClosedDescriptorLosesLinesAndNothingElse) {
  constexpr int kNotOpen = 1'000'000;
  LineWriter writer({.fd = kNotOpen, .limit = 0, .dropped = {}});
  writer.write("one\n");
  EXPECT_TRUE(writer.drain(std::chrono::milliseconds(0)));
}

}  // namespace
}  // namespace svc::kernel
