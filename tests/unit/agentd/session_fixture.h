#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "scripted.h"
#include "session.h"

namespace svc::agentd {

/// One session with a scripted agent, and what it tells.
class SessionFixture : public ScriptedTest {
 protected:
  void TearDown() override {
    if (session_ && !exit_) {
      session_->close({errc::kAborted, "the test is over"});
      until([this] { return exit_.has_value(); });
    }
  }

  SessionRequest request() const {
    return {.session_id = "s",
            .thread_id = "thr",
            .provider_id = "scripted",
            .cwd = directory_.path().string(),
            .mcp_servers = common::Json::array()};
  }
  Result<common::Json> open(const std::string& script) { return open(script, request()); }
  Result<common::Json> open(const std::string& script, SessionRequest wanted) {
    begin(script, std::move(wanted));
    until([this] { return opened_.has_value(); });
    return *opened_;
  }
  void begin(const std::string& script, SessionRequest wanted) {
    session_ = std::make_shared<Session>(
        std::move(wanted), ModeNames{.ask = "default", .all = "yolo"},
        SessionServices{
            .after = [this](auto delay,
                            Task task) { return timers_.after(delay, std::move(task)); },
            .now_ms = [this] { return ++now_; },
            .version = "1.2.3",
            .tell = [this](AgentEvent event) { events_.push_back(std::move(event)); },
            .keep_picture =
                [](std::string_view data) { return fmt::format("/pictures/{}", data); }});
    auto spawned = spawnAgent({.argv = scripted(script),
                               .environment = base::currentEnvironment(),
                               .cwd = directory_.path(),
                               .mark = base::randomHex(8)});
    ASSERT_TRUE(spawned.ok()) << spawned.error().message;
    auto process =
        AgentProcess::follow(*io_, std::move(spawned).value(),
                             {.lines = [this](const auto& lines) { session_->onLines(lines); },
                              .broken = [this](const auto& why) { session_->onBroken(why); },
                              .ended =
                                  [this](const AgentExit& exit) {
                                    exit_ = exit;
                                    session_->onExit(exit);
                                  }});
    pid_ = process->pid();
    session_->open(std::move(process),
                   [this](Result<common::Json> result) { opened_ = std::move(result); });
  }
  void prompt(const std::string& turn, const std::string& text = "hello") {
    const auto status =
        session_->prompt(common::Json::object().set("turnId", turn).set("prompt", blocks(text)));
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  static common::Json blocks(const std::string& text) {
    return common::Json::Array{common::Json::object().set("type", "text").set("text", text)};
  }
  std::vector<const AgentEvent*> all(const std::string& type) const {
    std::vector<const AgentEvent*> found;
    for (const auto& event : events_) {
      if (event.type == type) {
        found.push_back(&event);
      }
    }
    return found;
  }
  const common::Json& untilTold(const std::string& type, std::size_t times = 1) {
    until([&] { return all(type).size() >= times; });
    static const common::Json kNone;
    return all(type).size() < times ? kNone : all(type)[times - 1]->data;
  }
  /// Texts of the agent so far.
  std::string said() const {
    std::string text;
    for (const auto* delta : all("item/delta")) {
      text += delta->data["text"].asString();
    }
    return text;
  }

  std::int64_t now_ = 0;
  std::vector<AgentEvent> events_;
  std::optional<Result<common::Json>> opened_;
  std::optional<AgentExit> exit_;
  pid_t pid_ = 0;
  std::shared_ptr<Session> session_;
};

}  // namespace svc::agentd
