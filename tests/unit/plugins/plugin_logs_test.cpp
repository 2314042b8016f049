#include "plugin_logs.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"
#include "server_log_share.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
namespace fs = std::filesystem;

class PluginLogsTest : public ::testing::Test {
 protected:
  svc::test::TempDirectory directory_;
  svc::test::FakeMainExecutor main_;
  MainClock clock_{main_};
  QueuedWorkers workers_;
  std::shared_ptr<spdlog::logger> server_log_ =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  std::unique_ptr<PluginLogs> logs_;
  fs::path file_ = directory_.path() / "todo/logs/plugin.log";

  PluginLogsTest() { reopen(); }
  void reopen() {
    logs_ = std::make_unique<PluginLogs>(workers_, clock_, directory_.path(), server_log_);
    logs_->attach("todo");
  }
  void write(std::string message, std::string level = "info") {
    logs_->write(
        "todo",
        {.at = 1, .level = std::move(level), .generation = 2, .message = std::move(message)});
  }
  LogPage read(LogQuery query = {}) {
    Answer<LogPage> answer;
    logs_->read("todo", std::move(query), answer.completion());
    workers_.runAll();
    return answer.value();
  }
  std::vector<std::string> messages(LogQuery query = {}) {
    std::vector<std::string> out;
    for (const auto& line : read(std::move(query)).lines) {
      out.push_back(common::Json::parse(line).value()["message"].asString());
    }
    return out;
  }
};

TEST_F(PluginLogsTest, StoresJsonLinesWithNumbers) {
  write("one");
  write("two \"quoted\"\n", "error");
  const auto page = read();
  EXPECT_THAT(
      page.lines,
      ElementsAre(
          R"({"seq":1,"ts":1,"level":"info","generation":2,"source":"server","message":"one"})",
          R"({"seq":2,"ts":1,"level":"error","generation":2,"source":"server","message":"two \"quoted\"\n"})"));
  EXPECT_EQ(page.cursor, 2U);
}

TEST_F(PluginLogsTest, NothingIsWrittenOnTheCallersThread) {
  write("one");
  EXPECT_FALSE(fs::exists(file_));
  workers_.runAll();
  EXPECT_TRUE(fs::exists(file_));
}

/// Holds the first line in the server log until it is let go.
class HoldingSink final : public spdlog::sinks::sink {
 public:
  void log(const spdlog::details::log_msg& /*message*/) override {
    if (!std::exchange(held_, true)) {
      entered.set_value();
      let_go.get_future().wait();
    }
  }
  void flush() override {}
  void set_pattern(const std::string& /*pattern*/) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter> /*formatter*/) override {}

  std::promise<void> entered;
  std::promise<void> let_go;

 private:
  bool held_ = false;
};

TEST_F(PluginLogsTest, OtherLogsOpenWhileLinesAreWritten) {
  write("one");
  workers_.runAll();
  const auto sink = std::make_shared<HoldingSink>();
  server_log_ = std::make_shared<spdlog::logger>("test", sink);
  reopen();
  write("two");
  std::thread writer([this] { logs_->flush(); });
  sink->entered.get_future().wait();
  logs_->attach("other");
  sink->let_go.set_value();
  writer.join();
  EXPECT_THAT(messages(), ElementsAre("one", "two"));
}

TEST_F(PluginLogsTest, FilesArePrivate) {
  write("one");
  workers_.runAll();
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(file_.parent_path()).permissions(), fs::perms::owner_all);
}

TEST_F(PluginLogsTest, NumbersGoOnAfterARestart) {
  write("one");
  workers_.runAll();
  reopen();
  write("two");
  EXPECT_EQ(read().cursor, 2U);
}

TEST_F(PluginLogsTest, AHalfLineOfACrashIsSkippedAndNotContinued) {
  write("one");
  workers_.runAll();
  std::ofstream(file_, std::ios::app) << R"({"seq":2,"ts":1,"lev)";
  reopen();
  write("two");
  EXPECT_THAT(messages(), ElementsAre("one", "two"));
  EXPECT_EQ(read().cursor, 2U);
}

TEST_F(PluginLogsTest, ReadsTailAfterAndLevel) {
  for (int line = 1; line <= 300; ++line) {
    write("line " + std::to_string(line), line % 100 == 0 ? "error" : "debug");
  }
  EXPECT_EQ(read().lines.size(), limits::kLogTailDefault);
  EXPECT_THAT(messages({.tail = 2, .after = {}, .level = ""}), ElementsAre("line 299", "line 300"));
  EXPECT_THAT(messages({.tail = 0, .after = 298, .level = ""}),
              ElementsAre("line 299", "line 300"));
  EXPECT_THAT(messages({.tail = 0, .after = {}, .level = "warn"}),
              ElementsAre("line 100", "line 200", "line 300"));
  const auto nothing = read({.tail = 0, .after = 300, .level = ""});
  EXPECT_THAT(nothing.lines, IsEmpty());
  EXPECT_EQ(nothing.cursor, 300U);
}

TEST_F(PluginLogsTest, TheCursorMovesPastLinesTheLevelHides) {
  write("quiet", "debug");
  const auto page = read({.tail = 0, .after = 0, .level = "error"});
  EXPECT_THAT(page.lines, IsEmpty());
  EXPECT_EQ(page.cursor, 1U);
}

TEST_F(PluginLogsTest, AFollowerThatIsFarBehindMissesNoLine) {
  for (int line = 1; line <= 7; ++line) {
    write("line " + std::to_string(line), line == 4 ? "debug" : "info");
  }
  std::vector<std::string> seen;
  LogQuery query{.tail = 2, .after = 1, .level = "info"};
  for (auto page = read(query); !page.lines.empty(); page = read(query)) {
    EXPECT_LE(page.lines.size(), 2U);
    query.after = page.cursor;
    for (const auto& line : page.lines) {
      seen.push_back(common::Json::parse(line).value()["message"].asString());
    }
  }
  EXPECT_THAT(seen, ElementsAre("line 2", "line 3", "line 5", "line 6", "line 7"));
}

TEST_F(PluginLogsTest, RotatesOnceAboveTheLimit) {
  const std::string kilobytes(60'000, 'x');
  const auto lines = limits::kLogFile / kilobytes.size() + 10;
  for (std::size_t line = 0; line < lines; ++line) {
    write(kilobytes);
    workers_.runAll();
  }
  EXPECT_LE(fs::file_size(file_), limits::kLogFile);
  EXPECT_TRUE(fs::exists(file_.string() + ".1"));
  const auto page = read({.tail = 1000, .after = {}, .level = ""});
  EXPECT_EQ(page.lines.size(), lines);
  EXPECT_EQ(page.cursor, lines);
}

TEST_F(PluginLogsTest, CutsLongLinesOnACharacterBoundary) {
  std::string text(limits::kLogLine - 1, 'a');
  text += "ü and more";
  write(text);
  const auto line = messages().at(0);
  EXPECT_THAT(line, HasSubstr("… [cut: 65546 bytes, the limit logLine is 65536]"));
  EXPECT_EQ(line.find("\xEF\xBF\xBD"), std::string::npos);
}

TEST_F(PluginLogsTest, AFloodIsDroppedAndCounted) {
  const std::string big(60'000, 'x');
  constexpr int kLines = 100;
  for (int line = 0; line < kLines; ++line) {
    write(big);
  }
  const auto all = messages({.tail = 200, .after = {}, .level = ""});
  ASSERT_LT(all.size(), kLines);
  EXPECT_EQ(all.back(), std::to_string(kLines - static_cast<int>(all.size()) + 1) +
                            " log lines dropped: they came faster than they could be written");
}

TEST_F(PluginLogsTest, AFloodLeavesRoomInTheServersLog) {
  std::ostringstream text;
  server_log_ = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  server_log_->set_pattern("%v");
  reopen();
  logs_->attach("quiet");
  constexpr std::size_t kMore = 500;
  for (std::size_t line = 0; line < ServerLogShare::kLines + kMore; ++line) {
    write("x");
  }
  logs_->write("quiet", {.level = "info", .message = "heard"});
  workers_.runAll();
  const auto lines = [&text] {
    const auto all = text.str();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  };
  EXPECT_EQ(lines(), ServerLogShare::kLines + 1);
  EXPECT_THAT(text.str(), HasSubstr("heard"));
  EXPECT_EQ(read({.tail = 5000, .after = {}, .level = ""}).lines.size(),
            ServerLogShare::kLines + kMore);

  main_.advance(ServerLogShare::kWindow);
  logs_->write("quiet", {.level = "info", .message = "later"});
  workers_.runAll();
  EXPECT_THAT(text.str(), HasSubstr("[todo] 500 log lines left out here"));
  write("short");
  workers_.runAll();
  EXPECT_THAT(text.str(), HasSubstr("[todo#2] short"));
  EXPECT_EQ(lines(), ServerLogShare::kLines + 4);
}

TEST_F(PluginLogsTest, WaitsForRoomInThePool) {
  workers_.full = true;
  write("one");
  workers_.full = false;
  write("two");
  workers_.runAll();
  EXPECT_THAT(messages(), ElementsAre("one", "two"));
}

TEST_F(PluginLogsTest, SurvivesAFileThatCannotBeWritten) {
  fs::create_directories(directory_.path() / "todo");
  std::ofstream(directory_.path() / "todo/logs") << "in the way";
  write("lost one");
  write("lost two");
  workers_.runAll();
  fs::remove(directory_.path() / "todo/logs");
  write("three");
  const auto all = messages();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0], HasSubstr("2 log lines lost: cannot"));
  EXPECT_EQ(all[1], "three");
}

/// The kernel refuses writes beyond the file size limit much as a full disk does.
TEST_F(PluginLogsTest, AFullDiskLosesWholeLinesOnly) {
  write("fits");
  workers_.runAll();
  const auto size = fs::file_size(file_);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{size + 20, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  write("does not fit");
  workers_.runAll();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(fs::file_size(file_), size);
  write("fits again");
  EXPECT_THAT(messages(), ElementsAre("fits", HasSubstr("1 log lines lost"), "fits again"));
}

TEST_F(PluginLogsTest, ListenersHearOfEveryLine) {
  std::vector<std::pair<std::string, std::uint64_t>> heard;
  auto handle =
      logs_->onLine([&](const std::string& id, std::uint64_t seq) { heard.emplace_back(id, seq); });
  write("one");
  write("two");
  workers_.runAll();
  handle.reset();
  write("three");
  workers_.runAll();
  EXPECT_THAT(heard, ElementsAre(Pair("todo", 1), Pair("todo", 2)));
}

TEST_F(PluginLogsTest, ADetachedPluginHasNoLog) {
  write("one");
  logs_->detach("todo");
  EXPECT_TRUE(fs::exists(file_));
  write("dropped");
  Answer<LogPage> answer;
  logs_->read("todo", {}, answer.completion());
  workers_.runAll();
  EXPECT_EQ(answer.error().code, errc::kUnknownPlugin);
  logs_->attach("todo");
  EXPECT_THAT(messages(), ElementsAre("one"));
}

}  // namespace
}  // namespace svc::plugins
