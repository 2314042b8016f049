#include "frame_daemon.h"

#include <deque>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "event_log.h"
#include "transcript.h"

namespace svc::threads::frames {

using common::Json;

namespace {

Json textUpdate(const char* kind, const std::string& text) {
  return Json::object()
      .set("sessionUpdate", kind)
      .set("content", Json::object().set("type", "text").set("text", text));
}

Json toolUpdate(const char* kind, int call, const char* status, const std::string& output) {
  auto update = Json::object()
                    .set("sessionUpdate", kind)
                    .set("toolCallId", fmt::format("call{}", call))
                    .set("status", status);
  if (std::string_view(kind) == "tool_call") {
    const bool runs = call % 2 == 0;
    update.set("kind", runs ? "execute" : "other")
        .set("title", runs ? "make" : "look around")
        .set("rawInput", Json::object().set("command", "make"));
  }
  if (!output.empty()) {
    auto content = Json::array();
    content.push(Json::object()
                     .set("type", "content")
                     .set("content", Json::object().set("type", "text").set("text", output)));
    update.set("content", std::move(content));
  }
  return update;
}

}  // namespace

Script scriptOf(std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  Script script;
  int calls = 0;
  std::string output;
  const auto things = 12 + dice() % 20;
  for (std::uint64_t at = 0; at < things; ++at) {
    const auto word = fmt::format("wört{} 😀 ", dice() % 10);
    switch (dice() % 9) {
      case 0:
        script.push_back(textUpdate("agent_thought_chunk", word));
        break;
      case 1:
        output.clear();
        script.push_back(toolUpdate("tool_call", ++calls, "pending", {}));
        break;
      case 2:
      case 3:
        if (calls > 0) {
          output += word;
          script.push_back(toolUpdate("tool_call_update", calls, "in_progress", output));
        }
        break;
      case 4:
        if (calls > 0) {
          script.push_back(toolUpdate("tool_call_update", calls,
                                      dice() % 3 == 0 ? "failed" : "completed", output));
        }
        break;
      case 5:
        script.push_back(
            Json::object()
                .set("sessionUpdate", "plan")
                .set("entries",
                     Json::Array{Json::object().set("content", word).set("status", "pending")}));
        break;
      case 6:
        if (dice() % 3 == 0) {
          script.emplace_back("$ask");
        }
        break;
      default:
        script.push_back(textUpdate("agent_message_chunk", word));
    }
  }
  script.emplace_back("$end");
  return script;
}

struct FrameDaemon::Inside {
  Inside(std::uint64_t seed_of_scripts, Send sender)
      : seed(seed_of_scripts), send(std::move(sender)) {}

  void open(const std::string& session, const std::string& thread) {
    log = std::make_shared<agentd::EventLog>(
        session, thread,
        agentd::EventLog::Services{.send = [this](std::string frame) { send(std::move(frame)); },
                                   .now_ms = [] { return 1; },
                                   .soon = [this](auto task) { tasks.push_back(std::move(task)); },
                                   .pressure = [](bool) {}});
    transcript =
        std::make_unique<agentd::Transcript>("agent", "/work", [this](agentd::AgentEvent event) {
          event.data.set("providerThreadId", "acp");
          log->append(std::move(event));
        });
    session_id = session;
    log->attach(0);
  }
  void tell(const char* type, Json data) {
    log->append({.type = type, .turn_id = turn_id, .data = std::move(data)});
  }
  void ask() {
    question = fmt::format("q{}", ++questions);
    tellQuestion();
  }
  void tellQuestion() {
    tell(
        "question/asked",
        Json::object()
            .set("questionId", question)
            .set("payload", Json::parse(R"({"kind":"approval","subject":{"kind":"permission_grant"},
                 "availableDecisions":["allow_once","deny"]})")
                                .value()));
  }
  void run() {
    while (!tasks.empty()) {
      auto task = std::move(tasks.front());
      tasks.pop_front();
      task();
    }
  }

  std::uint64_t seed;
  const Send send;
  std::deque<std::function<void()>> tasks;
  std::shared_ptr<agentd::EventLog> log;
  std::unique_ptr<agentd::Transcript> transcript;
  std::string session_id;
  std::string turn_id;
  std::string question;
  int questions = 0;
  std::int64_t now = 0;
  std::deque<Json> script;
};

FrameDaemon::FrameDaemon(std::uint64_t seed, Send send)
    : inside_(std::make_unique<Inside>(seed, std::move(send))) {}

FrameDaemon::~FrameDaemon() = default;

Json FrameDaemon::answer(const Json& command) {
  auto& in = *inside_;
  const auto& type = command["type"].asString();
  if (type == "agent.open") {
    in.open(command["sessionId"].asString(), command["threadId"].asString());
    return Json::object().set("providerThreadId", "acp").set("started", "new");
  }
  if (type == "agent.prompt" && in.turn_id.empty()) {
    in.turn_id = command["turnId"].asString();
    const auto script = scriptOf(in.seed++);
    in.script.assign(script.begin(), script.end());
    in.transcript->turnStarted(in.turn_id, ++in.now);
    in.tell("turn/started", Json::object().set("turnId", in.turn_id));
  } else if (type == "agent.answer") {
    in.question.clear();
  } else if (type == "agent.resume") {
    auto sessions = Json::array();
    for (const auto& named : command["sessions"].items()) {
      in.log->attach(static_cast<std::uint64_t>(named["seq"].asInteger()));
      in.transcript->tellOpenItems(in.now);
      if (!in.question.empty()) {
        in.tellQuestion();
      }
      sessions.push(Json::object().set("sessionId", named["sessionId"]));
    }
    in.run();
    return Json::object().set("sessions", std::move(sessions));
  }
  in.run();
  return Json::object();
}

void FrameDaemon::acknowledge(std::uint64_t seq) { inside_->log->acknowledge(seq); }

void FrameDaemon::disconnect() { inside_->log->detach(); }

bool FrameDaemon::go() {
  auto& in = *inside_;
  if (in.script.empty() || !in.question.empty()) {
    return false;
  }
  const auto next = in.script.front();
  in.script.pop_front();
  if (next.asString() == "$ask") {
    in.ask();
  } else if (next.asString() == "$end") {
    in.transcript->turnEnded(++in.now);
    in.tell("turn/completed", Json::object().set("turnId", in.turn_id).set("status", "completed"));
    in.turn_id.clear();
  } else {
    in.transcript->update(next, ++in.now);
  }
  in.run();
  return true;
}

bool FrameDaemon::isSettled() const { return !inside_->log || inside_->log->settled(); }

}  // namespace svc::threads::frames
