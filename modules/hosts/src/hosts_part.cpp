#include "hosts_part.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "hosts_scripts.h"

namespace svc::hosts {
namespace {

using common::Json;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// The text up to the next line break, taken off the front; nothing when there is none.
std::optional<std::string_view> takeLine(std::string_view text, std::size_t& at) {
  const auto end = text.find('\n', at);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const auto line = text.substr(at, end - at);
  at = end + 1;
  return line;
}

Result<PluginCall> readCall(std::uint64_t load_id, std::string argument) {
  PluginCall call;
  call.load_id = load_id;
  call.argument = std::move(argument);
  auto& at = call.input_at;
  const auto host = takeLine(call.argument, at);
  const auto call_number = host ? takeLine(call.argument, at) : host;
  const auto timeout = call_number ? takeLine(call.argument, at) : call_number;
  const auto method = timeout ? takeLine(call.argument, at) : timeout;
  const auto host_id = method ? Json::parse(*host) : Result<Json>(Json());
  const auto parsed_number = method ? number(*call_number) : std::nullopt;
  const auto milliseconds = method ? number(*timeout) : std::nullopt;
  if (!method || !host_id || !parsed_number || !milliseconds) {
    return Error{errc::kInternal, "hosts.call needs five lines"};
  }
  call.host_id = host_id.value().asString();
  call.number = *parsed_number;
  call.timeout = std::chrono::milliseconds(*milliseconds);
  call.method = *method;
  return call;
}

void postCall(const PartTargets& targets, std::uint64_t load_id, std::string argument,
              Completion<std::string> done) {
  auto read = readCall(load_id, std::move(argument));
  if (!read) {
    done(std::move(read).error());
    return;
  }
  auto call = std::make_shared<PluginCall>(std::move(read).value());
  call->done = std::move(done);
  targets.reactor.post([weak = targets.calls, call] {
    if (const auto calls = weak.lock()) {
      calls->call(std::move(*call));
    } else {
      call->done(Error{errc::kHostUnavailable, "the server is shutting down"});
    }
  });
}

Result<std::string> postCancel(const PartTargets& targets, std::uint64_t load_id,
                               const std::string& argument) {
  const auto call_number = number(argument);
  if (!call_number) {
    return Error{errc::kInternal, "hosts.cancel needs a number"};
  }
  targets.reactor.post([weak = targets.calls, load_id, call = *call_number] {
    if (const auto calls = weak.lock()) {
      calls->cancel(load_id, call);
    }
  });
  return std::string();
}

/// "true", or "false" when there is no such host.
Result<std::string> declarePorts(const PartTargets& targets, const std::string& plugin_id,
                                 std::uint64_t load_id, const std::string& argument) {
  const auto given = Json::parse(argument);
  if (!given) {
    return given.error();
  }
  const auto host_id = given.value()["hostId"].asString();
  if (!targets.registry.find(host_id)) {
    return std::string("false");
  }
  std::vector<std::uint16_t> list;
  for (const auto& port : given.value()["ports"].items()) {
    list.push_back(static_cast<std::uint16_t>(port.asInteger()));
  }
  targets.reactor.post([weak = targets.ports, plugin_id, load_id, host_id, list] {
    if (const auto ports = weak.lock()) {
      ports->declare(plugin_id, load_id, host_id, list);
    }
  });
  return std::string("true");
}

}  // namespace

plugins::ApiPart hostsPart(PartTargets targets) {
  return {.name = "hosts",
          .script = scripts::kHosts,
          .functions = [targets = std::move(targets)](
                           const std::weak_ptr<plugins::IGeneration>& generation) {
            const auto held = generation.lock();
            const auto plugin_id = held ? held->pluginId() : std::string();
            const auto load_id = held ? held->loadId() : 0;
            return script::hostFunctions(
                {{.name = "hosts.call",
                  .async =
                      [targets, load_id](std::string argument, Completion<std::string> done) {
                        postCall(targets, load_id, std::move(argument), std::move(done));
                      }},
                 {.name = "hosts.cancel",
                  .sync =
                      [targets, load_id](const std::string& argument) {
                        return postCancel(targets, load_id, argument);
                      }},
                 {.name = "hosts.declarePorts",
                  .sync = [targets, plugin_id, load_id](const std::string& argument) {
                    return declarePorts(targets, plugin_id, load_id, argument);
                  }}});
          }};
}

}  // namespace svc::hosts
