#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fakes/inline_workers.h"
#include "fixture.h"
#include "mock_environment_source.h"
#include "mocks/mock_agent_sessions.h"
#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

/// A runner with an agent that does what the test says, on a machine that is ready at once.
class RunnerFixture : public ThreadsFixture {
 protected:
  using Json = common::Json;

  RunnerFixture() {
    using ::testing::_;
    ON_CALL(agents_, choose(_)).WillByDefault([](const std::string& id) -> Result<std::string> {
      return id.empty() ? "agent" : id;
    });
    ON_CALL(agents_, onEvent(_)).WillByDefault([this](IAgentSessions::EventListener listener) {
      listener_ = std::move(listener);
      return Handle();
    });
    ON_CALL(agents_, open(_, _))
        .WillByDefault([this](const SessionRequest& request, Completion<OpenSession> done) {
          opened_.push_back(request);
          session_ = request.session;
          done(OpenSession{.agent_session = "acp-" + std::to_string(opened_.size()),
                           .can_go_on = can_go_on_});
        });
    ON_CALL(agents_, set(_, _, _, _))
        .WillByDefault([this](const std::string&, const Json& execution,
                              const agents::AgentContext& context, Completion<void> done) {
          set_.push_back(execution);
          contexts_.push_back(context);
          done(cannot_set_ ? Status(*cannot_set_) : Status());
        });
    ON_CALL(agents_, prompt(_, _, _, _, _))
        .WillByDefault([this](const std::string&, const std::string& turn_id, const std::string&,
                              const Json& input, Completion<void> done) {
          turn_ = turn_id;
          prompts_.push_back(textOf(input));
          inputs_.push_back(input);
          done({});
        });
    ON_CALL(agents_, cancel(_, _)).WillByDefault([](const std::string&, Completion<void> done) {
      done({});
    });
    ON_CALL(agents_, close(_, _))
        .WillByDefault([this](const std::string& session, Completion<void> done) {
          closed_.push_back(session);
          done({});
        });
    ON_CALL(environments_, resolve(_, _, _))
        .WillByDefault([](const EnvironmentNeed&, const PlaceListener&,
                          Completion<ReadyEnvironment> done) {
          done(ReadyEnvironment{"env_a", "host_a", "/work", Json::object().set("name", "main")});
        });
    restart();
  }

  void restart() {
    runner_.reset();
    restartBook();
    runner_ =
        std::make_unique<TurnRunner>(*book_, workers_,
                                     Crew{.agents = &agents_,
                                          .environments = &environments_,
                                          .live = &live_,
                                          .presentation =
                                              [this](const std::string& tool) {
                                                return presentation_ ? presentation_(tool) : Json();
                                              },
                                          .in_background =
                                              [this](const std::string& thread_id) {
                                                return in_background_.contains(thread_id);
                                              }});
    EXPECT_TRUE(runner_->recover().ok());
  }

  virtual void onStreamed(const std::string& /*thread_id*/, const Delta& /*delta*/) {}

  static Json said(const std::string& text) {
    auto input = Json::array();
    input.push(Json::object().set("type", "text").set("text", text));
    return input;
  }
  /// What a call answers, which is at once here.
  template <class Call>
  Result<Json> answerOf(Call call) {
    std::optional<Result<Json>> out;
    call(Completion<Json>([&out](Result<Json> result) { out = std::move(result); }));
    EXPECT_TRUE(out.has_value());
    return out ? *std::move(out) : Error{errc::kInternal, "no answer"};
  }
  SpawnRequest request(const std::string& text) {
    SpawnRequest out;
    out.row.project_id = "proj_a";
    out.intent = Json::object().set("type", "project-default");
    out.first = {.input = said(text), .execution = Json::object(), .source = "spawn"};
    return out;
  }
  /// The id of a new thread whose first turn has begun.
  std::string spawn(const std::string& text = "hello") {
    const auto made =
        answerOf([&](Completion<Json> done) { runner_->spawn(request(text), std::move(done)); });
    EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
    const auto id = made ? made.value()["id"].asString() : std::string();
    thread_ = id;
    return id;
  }
  Result<Json> send(const std::string& text, const std::string& mode = "auto",
                    std::int64_t at = 0) {
    return answerOf([&](Completion<Json> done) {
      runner_->send(
          {.message = {.thread_id = thread_, .input = said(text), .execution = Json::object()},
           .mode = mode,
           .send_at = at},
          std::move(done));
    });
  }
  Result<Json> stop() {
    return answerOf(
        [&](Completion<Json> done) { runner_->stop(thread_, "manual-stop", std::move(done)); });
  }
  /// The agent says something in the session it has; false when it was not taken.
  bool hear(const std::string& type, const std::string& turn, const std::string& data,
            std::int64_t seq = 0) {
    std::optional<bool> taken;
    seq_ = seq == 0 ? seq_ + 1 : seq;
    listener_({.thread_id = thread_,
               .session = session_,
               .seq = seq_,
               .type = type,
               .turn_id = turn,
               .data = Json::parse(data).value()},
              Completion<void>([&taken](const Status& status) { taken = status.ok(); }));
    return taken.value_or(false);
  }
  void begin() { EXPECT_TRUE(hear("turn/started", turn_, R"({})")); }
  void finish(const std::string& status = "completed") {
    EXPECT_TRUE(hear("turn/completed", turn_, R"({"status":")" + status + R"("})"));
  }
  std::string status() { return book_->thread(thread_).value().status; }
  std::vector<std::string> logTypes() {
    std::vector<std::string> out;
    const auto events = store_.events({.thread_id = thread_, .limit = 1000}).value();
    for (const auto& event : events) {
      out.push_back(event.type);
    }
    return out;
  }
  std::vector<std::string> turnStates() {
    std::vector<std::string> out;
    const auto turns = store_.turns(thread_).value();
    for (const auto& turn : turns) {
      out.push_back(turn.state);
    }
    return out;
  }
  std::vector<std::string> waiting() {
    std::vector<std::string> out;
    for (const auto& row : book_->queue(thread_)) {
      out.push_back(textOf(parsed(row.content)));
    }
    return out;
  }

  svc::test::InlineWorkers workers_;
  ::testing::NiceMock<providers::MockAgentSessions> agents_;
  ::testing::NiceMock<MockEnvironmentSource> environments_;
  IAgentSessions::EventListener listener_;
  LiveTexts live_{
      [this](const std::string& thread_id, const Delta& delta) { onStreamed(thread_id, delta); }};
  std::unique_ptr<TurnRunner> runner_;
  std::vector<SessionRequest> opened_;
  std::vector<std::string> prompts_;
  std::vector<Json> inputs_;
  std::vector<std::string> closed_;
  std::function<Json(const std::string& tool)> presentation_;
  std::vector<Json> set_;
  std::vector<agents::AgentContext> contexts_;  ///< of further turns
  std::optional<Error> cannot_set_;
  std::string thread_;
  bool can_go_on_ = true;
  std::set<std::string> in_background_;
  std::string session_;
  std::string turn_;
  std::int64_t seq_ = 0;
};

}  // namespace svc::threads
