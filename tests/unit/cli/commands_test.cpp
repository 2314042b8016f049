#include "commands.h"

#include "svc/common/codes.h"
#include "svc/common/limits/cli.h"

#include "command_fixture.h"
#include "fakes/fake_executor.h"

namespace svc::cli {
namespace {

using svc::test::FakeMainExecutor;

class CommandsTest : public CommandFixture {
 protected:
  CommandsTest() {
    ON_CALL(loaded_, acquire).WillByDefault([this](const std::string& id, auto done) {
      const auto found = generations_.find(id);
      if (found == generations_.end()) {
        done(Error{errc::kUnknownPlugin, "no plugin"});
      } else {
        done(plugins::GenerationPtr(found->second));
      }
    });
    todo_ = load("todo", R"({"name":"todo"})");
    ON_CALL(*todo_, invoke)
        .WillByDefault([this](const std::string&, script::Invocation invocation, auto done) {
          invocation_ = std::move(invocation);
          done_ = std::move(done);
        });
  }
  void TearDown() override { done_ = {}; }

  void run(CommandRun run = {.plugin_id = "todo", .argv = {"list"}}) {
    commands_.run(std::move(run), caller_.get_token(),
                  [this](Result<CommandOutcome> outcome) { outcome_.emplace(std::move(outcome)); });
  }

  FakeMainExecutor main_;
  Commands commands_{loaded_, main_};
  std::shared_ptr<FakeCommandGeneration> todo_;
  script::Invocation invocation_;
  Completion<std::string> done_;
  std::stop_source caller_;
  std::optional<Result<CommandOutcome>> outcome_;
};

TEST_F(CommandsTest, RunsAsTheRouteDoes) {
  run({.plugin_id = "todo", .argv = {"a", "b c"}, .cwd = "/w", .thread_id = "thr"});
  EXPECT_EQ(invocation_.function, "cli");
  EXPECT_EQ(invocation_.body, R"({"argv":["a","b c"],"cwd":"/w","threadId":"thr"})");
  std::exchange(done_, {})(std::string(R"({"exitCode":3,"stdout":"o","stderr":"e"})"));
  ASSERT_TRUE(outcome_ && *outcome_);
  EXPECT_EQ(outcome_->value().exit_code, 3);
  EXPECT_EQ(outcome_->value().out, "o");
  EXPECT_EQ(outcome_->value().err, "e");
  EXPECT_EQ(main_.pendingTimers(), 0U);
}

TEST_F(CommandsTest, FailuresAreErrors) {
  run();
  std::exchange(done_, {})(Error{errc::kHandlerError, "svc todo failed: x"});
  EXPECT_EQ(outcome_->error().code, errc::kHandlerError);
  run({.plugin_id = "gone", .argv = {}});
  EXPECT_EQ(outcome_->error().code, errc::kUnknownPlugin);
  todo_->registration_now = {};
  run();
  EXPECT_EQ(outcome_->error().code, errc::kUnknownCommand);
}

TEST_F(CommandsTest, ACallerThatGivesUpStopsTheRun) {
  run();
  EXPECT_FALSE(invocation_.stop.stop_requested());
  caller_.request_stop();
  EXPECT_TRUE(invocation_.stop.stop_requested());
}

TEST_F(CommandsTest, ARunEndsAtItsLimit) {
  run();
  main_.advance(limits::kCliRun);
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->error().code, errc::kTimeout);
  EXPECT_TRUE(invocation_.stop.stop_requested());
  std::exchange(done_, {})(std::string("{}"));
  EXPECT_FALSE(*outcome_);
}

TEST_F(CommandsTest, TellsWhenTheListIsAnother) {
  int changes = 0;
  auto listening = commands_.onChanged([&changes] { ++changes; });
  EXPECT_EQ(commands_.list().size(), 1U);
  static_cast<void>(commands_.list());
  EXPECT_EQ(changes, 1);
  load("zoo", R"({"name":"zoo"})");
  static_cast<void>(commands_.list());
  EXPECT_EQ(changes, 2);
  listening.reset();
  load("ant", R"({"name":"ant"})");
  static_cast<void>(commands_.list());
  EXPECT_EQ(changes, 2);
}

}  // namespace
}  // namespace svc::cli
