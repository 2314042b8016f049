#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "svc/base/environment.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/skillfiles/tree_transfer.h"

#include "agents.h"
#include "fakes/bulk_threads.h"
#include "fakes/fake_clock.h"
#include "scripted.h"

namespace svc::agentd {

/// The sessions of a daemon with scripted agents, and what the server hears of each.
class AgentsTest : public ScriptedTest {
 protected:
  using Json = common::Json;
  using Command = void (Agents::*)(const std::string&, Completion<std::string>);

  void TearDown() override {
    bool stopped = false;
    agents_->shutDown([&](const Status&) { stopped = true; });
    until([&] { return stopped; });
  }
  Result<std::string> ask(Command command, const Json& text) {
    std::optional<Result<std::string>> answer;
    (agents_.get()->*command)(text.dump(),
                              [&](Result<std::string> result) { answer = std::move(result); });
    until([&] { return answer.has_value(); });
    return *answer;
  }
  static Json of(const std::string& id) { return Json::object().set("sessionId", id); }
  Json wanted(const std::string& id, const std::string& script) {
    auto words = scripted(script);
    auto args = Json::array();
    for (std::size_t at = 1; at < words.size(); ++at) {
      args.push(words[at]);
    }
    return of(id)
        .set("threadId", "thr_" + id)
        .set("providerId", "mine")
        .set("cwd", directory_.path().string())
        .set("mcpServers", Json::array())
        .set("agent", Json::object()
                          .set("command", words[0])
                          .set("args", args)
                          .set("env", Json::object().set("KEY", "value")))
        .set("env", Json::object().set("SVC_THREAD_ID", "thr_" + id));
  }
  Result<std::string> open(const std::string& id, const std::string& script) {
    return ask(&Agents::open, wanted(id, script));
  }
  Result<std::string> prompt(const std::string& id, const std::string& turn) {
    return ask(
        &Agents::prompt,
        of(id)
            .set("turnId", turn)
            .set("prompt", Json::Array{Json::object().set("type", "text").set("text", "x")}));
  }
  Result<std::string> resume(const std::vector<std::pair<std::string, std::int64_t>>& known) {
    auto sessions = Json::array();
    for (const auto& [id, seq] : known) {
      sessions.push(of(id).set("seq", seq));
    }
    return ask(&Agents::resume, Json::object().set("sessions", std::move(sessions)));
  }
  void acknowledge(const std::string& id, std::int64_t seq) {
    agents_->acknowledge(of(id).set("seq", seq).dump());
  }
  void heardOf(const std::string& text) {
    const auto message = Json::parse(text).value();
    for (const auto& event : message["events"].items()) {
      events_[message["sessionId"].asString()].push_back(event);
    }
  }
  std::vector<Json> told(const std::string& id, const std::string& type) {
    std::vector<Json> found;
    for (const auto& event : events_[id]) {
      if (event["type"].asString() == type) {
        found.push_back(event);
      }
    }
    return found;
  }
  Json untilTold(const std::string& id, const std::string& type, std::size_t times = 1) {
    until([&] { return told(id, type).size() >= times; });
    const auto found = told(id, type);
    return found.size() < times ? Json() : found[times - 1]["data"];
  }
  std::string said(const std::string& id) {
    std::string text;
    for (const auto& delta : told(id, "item/delta")) {
      text += delta["data"]["text"].asString();
    }
    return text;
  }
  std::int64_t last(const std::string& id) {
    return events_[id].empty() ? 0 : events_[id].back()["seq"].asInteger();
  }
  std::size_t marks() const {
    std::size_t count = 0;
    std::error_code ignored;
    for ([[maybe_unused]] const auto& each :
         std::filesystem::directory_iterator(directory_.path() / "runs", ignored)) {
      ++count;
    }
    return count;
  }
  std::shared_ptr<AgentStarter> makeStarter() {
    auto own = base::currentEnvironment();
    own["SHELL"] = "/bin/sh";
    own["SECRET_OF_DAEMON"] = "x";
    return std::make_shared<AgentStarter>(std::move(own), "/nonexistent",
                                          directory_.path() / "runs");
  }

  /// The one skill that the server has.
  Json oneSkill() {
    directory_.write("server/review/SKILL.md", "how to review");
    const auto from = directory_.path() / "server/review";
    const auto tree = skillfiles::readTree(from).value().tree;
    packed_ = skillfiles::packTree(from, tree).value();
    return Json::Array{
        Json::object().set("name", "review").set("description", "About").set("tree", tree.digest)};
  }
  void fetch(const std::filesystem::path& file, Completion<void> done) {
    if (silent_server_) {
      unanswered_.push_back(std::move(done));
      return;
    }
    std::ofstream(file) << packed_;
    done(packed_.empty() ? Status(Error{errc::kNotFound, "there is no such tree"}) : Status());
  }

  std::string packed_;
  bool silent_server_ = false;
  std::vector<Completion<void>> unanswered_;
  std::map<std::string, std::vector<Json>> events_;
  svc::test::FakeClock clock_;
  std::shared_ptr<AgentStarter> starter_ = makeStarter();
  std::shared_ptr<Providers> providers_ = std::make_shared<Providers>(starter_, clock_);
  svc::test::BulkThreads workers_;
  std::shared_ptr<Agents> agents_ = std::make_shared<Agents>(Agents::Surroundings{
      .io = io_,
      .workers = workers_,
      .starter = starter_,
      .providers = providers_,
      .skills = std::make_shared<SkillFolders>(
          directory_.path() / "skills",
          SkillFolders::With{.io = io_,
                             .workers = workers_,
                             .fetch = [this](const auto& /*tree*/, const auto& file, auto /*limit*/,
                                             auto done) { fetch(file, std::move(done)); }}),
      .send = [this](const std::string& text) { heardOf(text); },
      .server_url = [] { return std::string("http://server"); },
      .now_ms = [] { return 1234; },
      .after = [this](auto delay, Task task) { return timers_.after(delay, std::move(task)); },
      .version = "1.0.0",
      .keep_picture = [](std::string_view data) { return fmt::format("/pictures/{}", data); }});
};

}  // namespace svc::agentd
