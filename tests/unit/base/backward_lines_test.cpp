#include "svc/base/backward_lines.h"

#include <fcntl.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "svc/base/fd.h"

#include "unit/plugins/temp_directory.h"

namespace svc::base {
namespace {

using ::testing::ElementsAre;

class BackwardLinesTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines(const std::string& text, std::size_t end, std::size_t most = 100) {
    const Fd file(::open(directory_.write("file", text).c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<std::string> found;
    went_through_ = eachLineBackward(file.get(), end, [&](std::string_view line) {
      found.emplace_back(line);
      return found.size() < most;
    });
    return found;
  }
  std::vector<std::string> lines(const std::string& text) { return lines(text, text.size()); }

  test::TempDirectory directory_;
  bool went_through_ = false;
};

TEST_F(BackwardLinesTest, VisitsTheLastLineFirst) {
  EXPECT_THAT(lines("one\ntwo\n\nthree\n"), ElementsAre("three", "two", "one"));
  EXPECT_TRUE(went_through_);
  EXPECT_THAT(lines(""), ElementsAre());
}

TEST_F(BackwardLinesTest, WhatHasNoLineBreakYetIsALine) {
  EXPECT_THAT(lines("one\nhal"), ElementsAre("hal", "one"));
}

TEST_F(BackwardLinesTest, EndsWhereItIsTold) {
  EXPECT_THAT(lines("one\ntwo\nthree\n", 8), ElementsAre("two", "one"));
}

TEST_F(BackwardLinesTest, EndsWhenTheVisitorHasEnough) {
  EXPECT_THAT(lines("one\ntwo\nthree\n", 14, 2), ElementsAre("three", "two"));
  EXPECT_FALSE(went_through_);
}

TEST_F(BackwardLinesTest, LinesMayBeLongerThanWhatIsReadAtOnce) {
  const std::string long_line(200'000, 'x');
  EXPECT_THAT(lines("one\n" + long_line + "\ntwo\n"), ElementsAre("two", long_line, "one"));
}

}  // namespace
}  // namespace svc::base
