#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"
#include "svc/common/limits/plugins.h"

#include "agent_tool_source.h"
#include "command_source.h"
#include "endpoint.h"
#include "open_request.h"

namespace svc::mcp {
namespace {

using common::Json;

/// "tools/call" → "tools"; a method of its own name needs no capability.
std::string_view capabilityOf(std::string_view method) {
  const auto group = method.substr(0, method.find('/'));
  return group == "completion" ? "completions" : group;
}

}  // namespace

void Endpoint::ask(Incoming incoming) {
  const auto& method = incoming.message.method;
  const auto member = keyMember(method);
  if (!member.empty() && !incoming.meta.key) {
    refuse(incoming, badParams(fmt::format("params.{} must be a string", member)));
    return;
  }
  auto key = incoming.meta.key.value_or("");
  if (method == "tools/call") {
    if (const auto found = catalogue_->knownTool(key, incoming.caller()); found.source) {
      start(std::move(incoming), std::move(key), found);
      return;
    }
  }
  main_.post([self = shared_from_this(), incoming = std::move(incoming), key = std::move(key)] {
    if (self->findAndStart(incoming, key)) {
      return;
    }
    // It may be of a plugin that is being loaded.
    self->plugins_.settled(limits::kPluginsStart, [self, incoming, key](const Status&) {
      if (!self->findAndStart(incoming, key)) {
        self->explainAbsence(incoming, key);
      }
    });
  });
}

bool Endpoint::findAndStart(const Incoming& incoming, const std::string& key) {
  const auto found = catalogue_->find(incoming.message.method, key, incoming.caller());
  if (!found.source) {
    return false;
  }
  surroundings().reactor.post(
      [self = shared_from_this(), incoming, key, found] { self->start(incoming, key, found); });
  return true;
}

void Endpoint::explainAbsence(const Incoming& incoming, const std::string& key) {
  const auto caller = incoming.caller();
  if (incoming.message.method != "tools/call" || !caller.thread_id.empty()) {
    refuseUnknown(incoming, key);
    return;
  }
  auto plugin = catalogue_->formerOwner(key);
  if (plugin.empty()) {
    plugin = pluginOfToolName(key);
  }
  if (plugin.empty() || !caller.seesTool(key, plugin)) {
    refuseOrPutOff(incoming, key);
    return;
  }
  plugins_.running(plugin,
                   [self = shared_from_this(), incoming, key, plugin](const Status& running) {
                     if (!running && running.error().code != errc::kUnknownPlugin) {
                       self->answerFailed(incoming, running.error().message);
                     } else if (!running || !self->findAndStart(incoming, key)) {
                       self->refuseOrPutOff(incoming, key);
                     }
                   });
}

void Endpoint::refuseOrPutOff(const Incoming& incoming, const std::string& key) {
  auto loading = plugins_.loading();
  std::erase_if(loading, [caller = incoming.caller()](const std::string& plugin) {
    return !caller.sees(plugin);
  });
  if (loading.empty()) {
    refuseUnknown(incoming, key);
    return;
  }
  answerFailed(incoming, fmt::format("There is no tool {} so far, and plugins are still being "
                                     "loaded: {}. Call it again later.",
                                     key, fmt::join(loading, ", ")));
}

void Endpoint::answerFailed(const Incoming& incoming, const std::string& why) const {
  auto& counters = *surroundings().counters;
  ++counters.calls;
  ++counters.failed_calls;
  result(incoming, membersOf(textAnswer(why, true).result.text()));
}

void Endpoint::refuseUnknown(const Incoming& incoming, const std::string& key) const {
  const auto& method = incoming.message.method;
  if (keyMember(method).empty() ||
      catalogue_->capabilities().find(capabilityOf(method)) == nullptr) {
    unknownMethod(incoming);
  } else if (method == "resources/read") {
    refuse(incoming, {.code = incoming.modern() ? rpc::kInvalidParams : rpc::kResourceNotFound,
                      .message = fmt::format("there is no resource \"{}\"", key),
                      .data = Json::object().set("uri", key).dump()});
  } else {
    refuse(incoming, badParams(fmt::format("there is no {} \"{}\"",
                                           method == "tools/call" ? "tool" : "prompt", key)));
  }
}

void Endpoint::start(Incoming incoming, std::string key, const Found& found) {
  if (incoming.revoked()) {
    unauthorized(*incoming.exchange, std::string(kRevoked));
    return;
  }
  if (incoming.modern() && found.headers) {
    if (auto mismatch =
            paramMismatch(incoming.exchange->request(), *found.headers, incoming.message.params)) {
      refuse(incoming, *std::move(mismatch));
      return;
    }
  }
  if (open_->full()) {
    refuse(incoming,
           {.message = fmt::format("{} requests wait for plugins, the limit mcpCalls is {}",
                                   limits::kMcpCalls, limits::kMcpCalls),
            .status = 503});
    return;
  }
  std::make_shared<OpenRequest>(open_, std::move(incoming), std::move(key))->start(found);
}

}  // namespace svc::mcp
