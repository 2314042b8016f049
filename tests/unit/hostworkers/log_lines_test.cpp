#include "log_lines.h"

#include <gmock/gmock.h>

#include "svc/common/limits/hosts.h"

#include "fakes/fake_clock.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LogLinesTest : public ::testing::Test {
 protected:
  void flood(std::size_t lines) {
    for (std::size_t line = 0; line < lines; ++line) {
      lines_.add(false, "x\n");
    }
  }
  test::FakeClock clock_;
  LogLines lines_{clock_};
};

TEST_F(LogLinesTest, PutsLinesTogetherByStream) {
  lines_.add(false, "one\ntw");
  lines_.add(true, "err\r\n");
  lines_.add(false, "o\n\n");
  EXPECT_THAT(lines_.take(), ElementsAre(LogLine{false, "one"}, LogLine{true, "err"},
                                         LogLine{false, "two"}, LogLine{false, ""}));
  EXPECT_EQ(lines_.lastError(), "err");
}

TEST_F(LogLinesTest, LinesThatAreMarkedTellOfAnError) {
  lines_.add(true, "\x1e");
  lines_.add(true, "bad\n\x1e at x\nodd\x1e\n\x1e\n");
  lines_.add(false, "\x1eout\n");
  EXPECT_THAT(lines_.take(), ElementsAre(LogLine{true, "bad", true}, LogLine{true, " at x", true},
                                         LogLine{true, "odd\x1e"}, LogLine{true, "", true},
                                         LogLine{false, "\x1eout"}));
  lines_.add(true, "\x1elast");
  lines_.finish();
  EXPECT_THAT(lines_.take(), ElementsAre(LogLine{true, "last", true}));
  EXPECT_EQ(lines_.lastError(), "last");
}

TEST_F(LogLinesTest, TheEndCompletesALine) {
  lines_.add(true, "last words");
  EXPECT_TRUE(lines_.empty());
  lines_.finish();
  EXPECT_THAT(lines_.take(), ElementsAre(LogLine{true, "last words"}));
}

TEST_F(LogLinesTest, LongLinesAreCut) {
  const std::string chunk(limits::kWorkerLogLine, 'x');
  for (int count = 0; count < 3; ++count) {
    lines_.add(false, chunk);
  }
  lines_.add(false, "\nnext\n");
  const auto lines = lines_.take();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].text, chunk + " … 32,768 bytes more");
  EXPECT_EQ(lines[1].text, "next");
}

TEST_F(LogLinesTest, LinesBeyondThoseOfAMinuteAreCounted) {
  flood(limits::kWorkerLogLines + 12'345);
  EXPECT_THAT(lines_.take(), SizeIs(limits::kWorkerLogLines));
  EXPECT_TRUE(lines_.dropping());
  lines_.tick();
  EXPECT_THAT(lines_.take(), IsEmpty());
  clock_.advance(1min);
  lines_.tick();
  EXPECT_FALSE(lines_.dropping());
  const auto told = lines_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].text, HasSubstr("… 12,345 lines dropped"));
  flood(2);
  EXPECT_THAT(lines_.take(), SizeIs(2));
}

TEST_F(LogLinesTest, ALineOfTheNextMinuteTellsTheCountFirst) {
  flood(limits::kWorkerLogLines + 1);
  (void)lines_.take();
  clock_.advance(1min);
  flood(1);
  const auto lines = lines_.take();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0].text, HasSubstr("… 1 line dropped"));
  EXPECT_EQ(lines[1].text, "x");
}

TEST_F(LogLinesTest, TheEndTellsTheCount) {
  flood(limits::kWorkerLogLines + 1);
  (void)lines_.take();
  lines_.finish();
  EXPECT_THAT(lines_.take(), SizeIs(1));
}

}  // namespace
}  // namespace svc::hostworkers
