#include "server_log.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/plugins/temp_directory.h"

namespace svc::metrics {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string line(int number, std::string_view level = "info") {
  return fmt::format(R"({{"ts":{},"level":"{}","logger":"http","message":"line {}"}})", number,
                     level, number);
}

class ServerLogTest : public ::testing::Test {
 protected:
  void append(const std::string& text) const {
    std::ofstream(folder_.path() / "server.log", std::ios::app | std::ios::binary) << text;
  }
  void add(int number, std::string_view level = "info") const {
    append(line(number, level) + "\n");
  }
  /// As spdlog does it.
  void rotate() const {
    for (const auto* const pair : {"2>3", "1>2"}) {
      const auto from = folder_.path() / fmt::format("server.{}.log", pair[0]);
      if (fs::exists(from)) {
        fs::rename(from, folder_.path() / fmt::format("server.{}.log", pair[2]));
      }
    }
    fs::rename(folder_.path() / "server.log", folder_.path() / "server.1.log");
  }
  ServerLogPage newest(std::size_t tail = 100, LogLevel level = LogLevel::kDebug) const {
    return log_.read({.tail = tail, .after = "", .level = level});
  }
  ServerLogPage after(const std::string& cursor, std::size_t tail = 100,
                      LogLevel level = LogLevel::kDebug) const {
    return log_.read({.tail = tail, .after = cursor, .level = level});
  }

  test::TempDirectory folder_;
  ServerLog log_{folder_.path()};
};

TEST_F(ServerLogTest, HasTheNewestLinesOldestFirst) {
  for (int i = 1; i <= 4; ++i) {
    add(i);
  }
  EXPECT_THAT(newest(2).lines, ElementsAre(line(3), line(4)));
  EXPECT_THAT(newest(0).lines, IsEmpty());
}

TEST_F(ServerLogTest, GoesOnWhereAPageEnded) {
  add(1);
  const auto first = newest();
  EXPECT_THAT(after(first.cursor).lines, IsEmpty());
  add(2);
  add(3);
  const auto second = after(first.cursor, 1);
  EXPECT_THAT(second.lines, ElementsAre(line(2)));
  EXPECT_THAT(after(second.cursor).lines, ElementsAre(line(3)));
  EXPECT_FALSE(second.anew);
}

TEST_F(ServerLogTest, LosesNothingWhenTheLogIsRotated) {
  add(1);
  const auto cursor = newest().cursor;
  add(2);
  rotate();
  add(3);
  rotate();
  add(4);
  const auto page = after(cursor);
  EXPECT_THAT(page.lines, ElementsAre(line(2), line(3), line(4)));
  EXPECT_FALSE(page.anew);
  EXPECT_THAT(newest().lines, ElementsAre(line(1), line(2), line(3), line(4)));
  // Also one line at a time.
  const auto one = after(cursor, 1);
  const auto two = after(one.cursor, 1);
  EXPECT_THAT(two.lines, ElementsAre(line(3)));
  EXPECT_THAT(after(two.cursor, 1).lines, ElementsAre(line(4)));
}

TEST_F(ServerLogTest, BeginsAnewWhenTheFileOfTheCursorIsGone) {
  add(1);
  const auto cursor = newest().cursor;
  for (int i = 2; i <= 5; ++i) {
    rotate();
    add(i);
  }
  fs::remove(folder_.path() / "server.3.log");
  const auto page = after(cursor);
  EXPECT_TRUE(page.anew);
  EXPECT_THAT(page.lines, ElementsAre(line(3), line(4), line(5)));
}

TEST_F(ServerLogTest, TakesNoCursorThatIsNoneOfItsOwn) {
  add(1);
  add(2);
  const auto cursor = newest().cursor;
  const auto number = cursor.substr(0, cursor.rfind('.'));
  // In the middle of a line, beyond the end, no numbers.
  for (const auto& wrong : {number + ".3", number + ".100000", number, number + ".", number + ".5x",
                            std::string("x"), std::string(".."), std::string("0.0.0")}) {
    EXPECT_TRUE(after(wrong).anew) << wrong;
    EXPECT_THAT(after(wrong).lines, SizeIs(2)) << wrong;
  }
}

TEST_F(ServerLogTest, LeavesALineThatIsBeingWrittenForTheNextPage) {
  add(1);
  append(line(2).substr(0, 20));
  const auto page = newest();
  EXPECT_THAT(page.lines, ElementsAre(line(1)));
  append(line(2).substr(20) + "\n");
  EXPECT_THAT(after(page.cursor).lines, ElementsAre(line(2)));
}

TEST_F(ServerLogTest, AHalfLineOfAKilledServerHidesNoneBehindIt) {
  add(1);
  const auto cursor = newest().cursor;
  append("{\"ts\":2,\"lev");
  rotate();
  add(3);
  EXPECT_THAT(after(cursor).lines, ElementsAre(line(3)));
}

TEST_F(ServerLogTest, HasLinesOfALevelAndAbove) {
  for (const auto* level : {"trace", "debug", "info", "warning", "error", "critical"}) {
    add(1, level);
  }
  append("no line of the log\n");
  EXPECT_THAT(newest(100, LogLevel::kDebug).lines, SizeIs(6));
  EXPECT_THAT(newest(100, LogLevel::kInfo).lines, SizeIs(4));
  EXPECT_THAT(newest(100, LogLevel::kWarn).lines, SizeIs(3));
  const auto errors = newest(100, LogLevel::kError);
  EXPECT_THAT(errors.lines, ElementsAre(line(1, "error"), line(1, "critical")));
  add(2, "info");
  add(3, "error");
  EXPECT_THAT(after(errors.cursor, 100, LogLevel::kError).lines, ElementsAre(line(3, "error")));
}

TEST_F(ServerLogTest, APageHasABound) {
  const std::string text(100'000, 'x');
  for (int i = 0; i < 60; ++i) {
    append(R"({"ts":1,"level":"info","logger":"a","message":")" + text + "\"}\n");
  }
  EXPECT_THAT(newest().lines, SizeIs(42));
  add(1);
  const auto cursor = newest(1).cursor;
  const auto page = after(cursor.substr(0, cursor.rfind('.')) + ".0");
  EXPECT_THAT(page.lines, SizeIs(42));
  EXPECT_THAT(after(page.cursor).lines, SizeIs(19));
}

TEST_F(ServerLogTest, BytesThatAreNoTextAreReplaced) {
  append("{\"ts\":1,\"level\":\"info\",\"logger\":\"a\",\"message\":\"\xff\"}\n");
  EXPECT_THAT(
      newest().lines,
      ElementsAre("{\"ts\":1,\"level\":\"info\",\"logger\":\"a\",\"message\":\"\xef\xbf\xbd\"}"));
}

TEST_F(ServerLogTest, WithoutALogThereAreNoLines) {
  EXPECT_THAT(newest().lines, IsEmpty());
  EXPECT_EQ(newest().cursor, "");
  EXPECT_TRUE(after("1.1").anew);
}

}  // namespace
}  // namespace svc::metrics
