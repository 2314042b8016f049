#include "tool_calls.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_clock.h"
#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

using std::chrono::milliseconds;

class ToolCallsTest : public ::testing::Test {
 protected:
  void run(ToolContext context = {}) {
    calls_.run({.plugin_id = "todo",
                .name = "add",
                .arguments = common::RawJson("{}"),
                .context = std::move(context),
                .overrides = {},
                .stop = {},
                .done = [this](Result<ToolResult> result) {
                  if (result) {
                    result_ = std::move(result).value();
                  }
                }});
  }
  void answer(Result<std::string> result) {
    ASSERT_TRUE(generation_->answer("agents.callTool", std::move(result)));
  }
  [[nodiscard]] std::string lastLine() const {
    return generation_->lines.empty() ? std::string() : generation_->lines.back();
  }

  std::optional<ToolResult> result_;
  test::FakeClock clock_;
  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<plugins::FakeGeneration> generation_ = loaded_.load("todo");
  ToolCalls calls_{loaded_, clock_};
};

TEST_F(ToolCallsTest, CountsCallsErrorsAndTime) {
  run();
  clock_.advance(milliseconds(20));
  answer(std::string("0\n[]"));
  run();
  clock_.advance(milliseconds(5));
  answer(std::string("1\n[]"));
  run();
  answer(Error{errc::kHandlerError, "Tool add failed: no"});
  const auto stats = calls_.meters().stats();
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(stats[0].plugin_id, "todo");
  EXPECT_EQ(stats[0].name, "add");
  EXPECT_EQ(stats[0].calls, 3U);
  EXPECT_EQ(stats[0].errors, 2U);
  EXPECT_EQ(stats[0].total_ms, 25);
}

TEST_F(ToolCallsTest, TellsThePluginsLogWhatWentWrong) {
  run();
  answer(std::string("0\n[]"));
  EXPECT_EQ(lastLine(), "");
  run();
  answer(std::string("1\n[]"));
  EXPECT_EQ(lastLine(), "warn: tool add answered with an error");
  run();
  answer(Error{errc::kInvalidInput, "Invalid arguments for tool add: no title"});
  EXPECT_EQ(lastLine(), "warn: tool add: Invalid arguments for tool add: no title");
}

TEST_F(ToolCallsTest, LeavesThrowsAndAbortsToOthers) {
  run();
  answer(Error{errc::kHandlerError, "Tool add failed: no"});
  run();
  answer(Error{errc::kAborted, "Tool add was aborted: the caller has given up"});
  EXPECT_TRUE(generation_->lines.empty());
}

TEST_F(ToolCallsTest, GivesTheCallANumberForAListenerOnly) {
  run();
  EXPECT_EQ(generation_->calls.at(0).invocation.meta.find("\"call\""), std::string::npos);
  answer(std::string("0\n[]"));
  int heard = 0;
  run({.thread_id = "", .project_id = "", .progress = [&heard](const ToolProgress&) { ++heard; }});
  const auto meta = common::Json::parse(generation_->calls.at(0).invocation.meta).value();
  const auto report = common::Json::object().set("call", meta["call"]).set("progress", 1);
  calls_.listeners().tell(report);
  answer(std::string("0\n[]"));
  calls_.listeners().tell(report);
  EXPECT_EQ(heard, 1);
}

TEST_F(ToolCallsTest, AnswersForAPluginThatIsGone) {
  loaded_.unload("todo");
  run();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
  EXPECT_EQ(calls_.meters().stats().at(0).errors, 1U);
}

}  // namespace
}  // namespace svc::agents
