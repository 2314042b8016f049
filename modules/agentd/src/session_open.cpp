// From the program to a session: initialize, sign in when it was asked for, then resume, load or begin anew.
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "session.h"

namespace svc::agentd {

using common::Json;

namespace {

constexpr std::int64_t kAcpVersion = 1;
/// Bytes of an answer that makes no sense, in the error that says so.
constexpr std::size_t kShownAnswer = 200;
/// The whole way has one limit.
constexpr std::chrono::milliseconds kWithinOpen{0};

}  // namespace

Json Session::clientCapabilities() {
  // Files and terminals are the agent's own: it runs where they are.
  return Json::object()
      .set("fs", Json::object().set("readTextFile", false).set("writeTextFile", false))
      .set("terminal", false)
      .set("elicitation", Json::object().set("form", Json::object()))
      .set("session", Json::object()
                          .set("configOptions", Json::object().set("boolean", Json::object()))
                          .set("notices", Json::object())
                          .set("compaction", Json::object()))
      // What a command prints is told apart from what the agent shows of it.
      .set("_meta", Json::object().set("terminal_output", true).set("terminal_output_delta", true));
}

void Session::open(std::shared_ptr<AgentProcess> process, Completion<Json> done) {
  process_ = std::move(process);
  folder_ = folderAt(request_.cwd);
  open_ = std::move(done);
  if (closing_) {
    // It was closed while its program was being started.
    process_->end();
    auto open = std::move(open_);
    open(end_error_);
    return;
  }
  open_timer_ = services_.after(limits::kAgentOpen, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      const auto unanswered = self->asked_.empty() ? "" : self->asked_.rbegin()->second.method;
      self->fail(Error{
          errc::kTimeout,
          fmt::format("the agent had no session after {} s (limit agentOpen): it does not answer "
                      "\"{}\"",
                      limits::kAgentOpen.count() / 1000, unanswered)});
    }
  });
  ask("initialize",
      Json::object()
          .set("protocolVersion", kAcpVersion)
          .set("clientCapabilities", clientCapabilities())
          .set("clientInfo", Json::object()
                                 .set("name", "svc")
                                 .set("title", "svc")
                                 .set("version", services_.version)),
      kWithinOpen, then(&Session::onInitialized));
}

void Session::giveSkills(const Result<std::string>& directory) {
  if (directory) {
    skills_directory_ = directory.value();
  } else if (!closing_) {
    warn("The skills of the service are not there as files", directory.error().message);
  }
}

void Session::failedToStart(Error error, Completion<Json> done) {
  open_ = std::move(done);
  if (closing_) {
    auto open = std::move(open_);
    open(std::move(error));
  } else {
    fail(std::move(error));
  }
}

std::function<void(AcpMessage)> Session::then(void (Session::*step)(const AcpMessage&)) {
  return [weak = weak_from_this(), step](const AcpMessage& answer) {
    if (const auto self = weak.lock()) {
      (self.get()->*step)(answer);
    }
  };
}

void Session::onInitialized(const AcpMessage& answer) {
  if (answer.failure) {
    fail(Error{errc::kUnavailable,
               fmt::format("the agent refused to begin: {}", failureText(*answer.failure))});
    return;
  }
  if (!answer.result["protocolVersion"].isInteger()) {
    fail(Error{errc::kIncompatible,
               fmt::format("the agent's answer to \"initialize\" has no number protocolVersion, it "
                           "is {}; is it a program that speaks ACP, and with the arguments for it?",
                           answer.result.dump().substr(0, kShownAnswer))});
    return;
  }
  const auto version = answer.result["protocolVersion"].asInteger();
  if (version != kAcpVersion) {
    fail(Error{errc::kIncompatible,
               fmt::format("the agent speaks version {} of ACP and this daemon version {}; take a "
                           "version of the agent that speaks it",
                           version, kAcpVersion)});
    return;
  }
  takeList(capabilities_, answer.result["agentCapabilities"], "capabilities");
  for (const char* member : {"name", "title", "version"}) {
    if (const auto& text = answer.result["agentInfo"][member]; text.isString()) {
      agent_info_ = (agent_info_.isNull() ? Json::object() : agent_info_)
                        .set(member, headOf(text.asString(), limits::kAgentName));
    }
  }
  takeList(auth_methods_, answer.result["authMethods"], "ways to sign in");
  if (request_.auth_method.empty()) {
    begin();
    return;
  }
  ask("authenticate", Json::object().set("methodId", request_.auth_method), kWithinOpen,
      then(&Session::onAuthenticated));
}

void Session::onAuthenticated(const AcpMessage& answer) {
  if (answer.failure) {
    authRequired(*answer.failure);
  } else {
    begin();
  }
}

/// Servers that the agent cannot reach in the way they are offered are left out.
Json Session::reachableServers() {
  auto servers = Json::array();
  for (const auto& server : request_.mcp_servers.items()) {
    const auto& type = server["type"].asString();
    if ((type == "http" || type == "sse") && !capabilities_["mcpCapabilities"][type].asBool()) {
      if (server["stdio"].isObject()) {
        servers.push(server["stdio"]);
        continue;
      }
      warn(fmt::format("The agent cannot use the MCP server \"{}\"", server["name"].asString()),
           fmt::format("it has no MCP over {}", type));
    } else {
      auto offered = Json::object();
      for (const auto& [member, value] : server.members()) {
        if (member != "stdio") {
          offered.set(member, value);
        }
      }
      servers.push(std::move(offered));
    }
  }
  return servers;
}

Json Session::beginParams(const std::string& session_id) {
  auto params = Json::object();
  if (!session_id.empty()) {
    params.set("sessionId", session_id);
  }
  params.set("cwd", request_.cwd).set("mcpServers", servers_);
  auto directories =
      request_.additional_directories.isArray() ? request_.additional_directories : Json::array();
  if (!skills_directory_.empty()) {
    directories.push(skills_directory_);
  }
  if (!directories.items().empty() &&
      !capabilities_["sessionCapabilities"]["additionalDirectories"].isNull()) {
    params.set("additionalDirectories", std::move(directories));
  }
  return params;
}

void Session::begin() {
  servers_ = reachableServers();
  if (request_.resume.empty()) {
    beginNew({});
  } else if (!capabilities_["sessionCapabilities"]["resume"].isNull()) {
    ask("session/resume", beginParams(request_.resume), kWithinOpen, then(&Session::onResumed));
  } else {
    load("the agent cannot resume sessions");
  }
}

void Session::onResumed(const AcpMessage& answer) {
  if (!answer.failure) {
    provider_thread_id_ = request_.resume;
    onBegun(answer, "resumed", {});
  } else if (answer.failure->code == acp_error::kAuthRequired) {
    authRequired(*answer.failure);
  } else {
    load(failureText(*answer.failure));
  }
}

void Session::load(const std::string& why_not_resumed) {
  if (!capabilities_["loadSession"].asBool()) {
    beginNew(why_not_resumed);
    return;
  }
  replaying_ = true;
  ask("session/load", beginParams(request_.resume), kWithinOpen, then(&Session::onLoaded));
}

void Session::onLoaded(const AcpMessage& answer) {
  if (!answer.failure) {
    provider_thread_id_ = request_.resume;
    loaded_ = answer;
    replay_limit_ = services_.after(limits::kAgentReplay, replayed());
    awaitReplayed();
    return;
  }
  replaying_ = false;
  if (answer.failure->code == acp_error::kAuthRequired) {
    authRequired(*answer.failure);
  } else {
    beginNew(failureText(*answer.failure));
  }
}

Task Session::replayed() {
  return [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->onReplayed();
    }
  };
}

void Session::awaitReplayed() {
  if (loaded_) {
    replay_pause_ = services_.after(limits::kAgentReplayPause, replayed());
  }
}

void Session::onReplayed() {
  if (!loaded_ || closing_) {
    return;
  }
  replay_pause_.reset();
  replay_limit_.reset();
  replaying_ = false;
  const auto answer = *std::exchange(loaded_, std::nullopt);
  onBegun(answer, "loaded", {});
}

/// `why`: a session that should have gone on does not.
void Session::beginNew(const std::string& why) {
  ask("session/new", beginParams({}), kWithinOpen,
      [weak = weak_from_this(), why](const AcpMessage& answer) {
        if (const auto self = weak.lock()) {
          self->onNew(answer, why);
        }
      });
}

void Session::onNew(const AcpMessage& answer, const std::string& why) {
  if (answer.failure) {
    if (answer.failure->code == acp_error::kAuthRequired) {
      authRequired(*answer.failure);
    } else {
      fail(Error{errc::kUnavailable,
                 fmt::format("the agent began no session: {}", failureText(*answer.failure))});
    }
    return;
  }
  provider_thread_id_ = answer.result["sessionId"].asString();
  if (provider_thread_id_.empty()) {
    fail(Error{errc::kUnavailable, "the agent began a session without an id"});
    return;
  }
  if (provider_thread_id_.size() > limits::kAgentSessionName) {
    const auto size = std::exchange(provider_thread_id_, {}).size();
    fail(
        Error{errc::kUnavailable,
              fmt::format("the agent's id of its session has {} bytes (limit agentSessionName: {})",
                          size, limits::kAgentSessionName)});
    return;
  }
  onBegun(answer, request_.resume.empty() ? "new" : "replaced", why);
}

void Session::onBegun(const AcpMessage& answer, std::string_view started, const std::string& why) {
  started_ = started;
  takeChoices(answer.result);
  if (started == "new" || started == "replaced") {
    offered_options_ = config_options_;
  }
  auto data = Json::object().set("started", started).set("providerThreadId", provider_thread_id_);
  if (!why.empty()) {
    data.set("message",
             fmt::format("The agent's earlier session could not go on ({}); this is a new one, "
                         "which does not know what was said",
                         clipped(why)));
  }
  tell(hostprotocol::agent_event::kIdentity, {}, std::move(data));
  apply(request_.choices, [weak = weak_from_this()](const Status& status) {
    if (const auto self = weak.lock()) {
      if (!status) {
        self->warn("The agent runs with other settings than were asked for",
                   status.error().message);
      }
      self->opened();
    }
  });
}

void Session::opened() {
  if (closing_ || state_ != SessionState::kOpening) {
    return;
  }
  open_timer_.reset();
  state_ = SessionState::kIdle;
  tellChanged();
  auto open = std::move(open_);
  open(describe());
}

std::string Session::signInText(const AcpMessage::Failure& failure) {
  return fmt::format(
      "nobody has signed in to the agent: start its own program in a terminal of its machine, sign "
      "in there and try again; the agent says: {}",
      clipped(failureText(failure)));
}

void Session::authRequired(const AcpMessage::Failure& failure) {
  Error error{errc::kUnauthorized, signInText(failure),
              Json::object().set("authMethods", auth_methods_).dump()};
  fail(std::move(error), kAuthRequiredReason);
}

void Session::warn(std::string summary, std::string details) {
  tell(hostprotocol::agent_event::kWarning, {},
       Json::object()
           .set("category", "general")
           .set("summary", std::move(summary))
           .set("details", std::move(details)));
}

}  // namespace svc::agentd
