#include "svc/base/process_marks.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "svc/base/marked_processes.h"
#include "svc/base/random.h"
#include "svc/base/spawn.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;

class ProcessMarksTest : public ::testing::Test {
 protected:
  ~ProcessMarksTest() override { fs::remove_all(directory_); }

  static ChildProcess sleeping(const std::string& mark) {
    auto child =
        spawn({.argv = {"sleep", "1000"},
               .environment = Environment{{"PATH", "/usr/bin:/bin"}, {kProcessMark, mark}}});
    EXPECT_TRUE(child.ok());
    return std::move(child).value();
  }
  std::set<std::string> files() {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      out.insert(entry.path().filename().string());
    }
    return out;
  }

  const fs::path directory_ = fs::temp_directory_path() / ("svc-marks-" + randomHex(8));
  const ProcessMarks marks_{directory_};
};

TEST_F(ProcessMarksTest, AreThereUntilTheyAreRemoved) {
  const auto first = marks_.add();
  const auto second = marks_.add();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(files(), (std::set{first.value(), second.value()}));
  marks_.remove(first.value());
  EXPECT_EQ(files(), std::set{second.value()});
}

TEST_F(ProcessMarksTest, LeftoversAreThoseWhoseMarkIsStillThere) {
  const auto left = marks_.add().value();
  const auto over = marks_.add().value();
  marks_.remove(over);
  std::ofstream(directory_ / "notes.txt") << "not a mark";
  auto running = sleeping(left);
  auto free = sleeping(over);
  marks_.endLeftovers();
  EXPECT_EQ(running.reap().signal, SIGKILL);
  EXPECT_EQ(files(), std::set<std::string>{"notes.txt"});
  EXPECT_EQ(signalMarked(over, SIGKILL), 1U) << "it was let go of, and runs on";
}

TEST_F(ProcessMarksTest, ADirectoryThatCannotBeMadeIsSaid) {
  std::ofstream(directory_) << "a file";
  EXPECT_EQ(marks_.add().error().code, errc::kUnavailable);
  marks_.endLeftovers();
}

}  // namespace
}  // namespace svc::base
