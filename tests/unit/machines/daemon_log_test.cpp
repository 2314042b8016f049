#include "daemon_log.h"

#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include "svc/common/limits/hosts.h"

#include "fakes/fake_clock.h"
#include "line_reader.h"

namespace svc::machines {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class DaemonLogTest : public ::testing::Test {
 protected:
  DaemonLogTest() { log_->set_pattern("%l %v"); }
  std::string text() {
    log_->flush();
    return text_.str();
  }

  svc::test::FakeClock clock_;
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>(
      "hostd", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
  DaemonLog daemon_{clock_, log_};
};

TEST_F(DaemonLogTest, KeepsLevelAndLogger) {
  daemon_.write(R"({"ts":1,"level":"warning","logger":"serverlink","message":"no \u001b answer"})");
  EXPECT_EQ(text(), "warning serverlink: no   answer\n");
}

TEST_F(DaemonLogTest, PassesOtherLinesOn) {
  daemon_.write("terminate called\tafter");
  daemon_.write(R"({"message":7})");
  EXPECT_EQ(text(), "info terminate called after\ninfo {\"message\":7}\n");
}

TEST_F(DaemonLogTest, CountsWhatIsTooMuch) {
  for (std::size_t line = 0; line < limits::kWorkerLogLines + 5; ++line) {
    daemon_.write("x");
  }
  EXPECT_EQ(text().size(), limits::kWorkerLogLines * std::string("info x\n").size());
  clock_.advance(1min);
  daemon_.write("y");
  EXPECT_THAT(text(), HasSubstr("left out 5 lines"));
  EXPECT_THAT(text(), ::testing::EndsWith("info y\n"));
}

TEST(LineReaderTest, MakesLinesOfPieces) {
  std::vector<std::string> lines;
  LineReader reader([&](std::string_view line) { lines.emplace_back(line); });
  reader.add("a");
  reader.add("b\n\nc\nd");
  EXPECT_THAT(lines, ElementsAre("ab", "c"));
  reader.finish();
  EXPECT_THAT(lines, ElementsAre("ab", "c", "d"));
}

TEST(LineReaderTest, CutsLongLines) {
  std::vector<std::string> lines;
  LineReader reader([&](std::string_view line) { lines.emplace_back(line); });
  for (int piece = 0; piece < 5; ++piece) {
    reader.add(std::string(10'000, 'x'));
  }
  reader.add("\nnext\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].size(), limits::kWorkerLogLine);
  EXPECT_EQ(lines[1], "next");
}

}  // namespace
}  // namespace svc::machines
