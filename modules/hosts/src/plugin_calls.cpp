#include "plugin_calls.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/plugins.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::hosts {
namespace {

Error notRunning(std::string_view what) {
  return {errc::kPluginNotRunning, fmt::format("the plugin {}", what)};
}

std::string disposeCommand(std::string_view plugin_id, std::string_view identity) {
  return common::Json::object()
      .set("type", hostprotocol::command::kDispose)
      .set("pluginId", plugin_id)
      .set("generation", identity)
      .dump();
}

/// A daemon that is strict about the members of a call meets this one only where the default does not hold.
std::string heapMember(std::int64_t heap_mib) {
  return heap_mib == limits::kPluginHeapMiB ? std::string()
                                            : fmt::format(R"(,"heapMiB":{})", heap_mib);
}

/// `output` of the daemon's result, which the script checks as it parses it; "" when there is none.
Result<std::string> outputOf(std::string_view result) {
  const auto members = common::JsonSlices::skim(result);
  if (!members) {
    return Error{errc::kHostError, "the answer of the machine's daemon is not { output }"};
  }
  const auto output = members.value().raw("output");
  if (output.size() > limits::kHostOutput) {
    return Error{errc::kTooLarge,
                 fmt::format("the result has {} bytes as JSON, more than the {} of "
                             "the limit host-output",
                             output.size(), limits::kHostOutput)};
  }
  return std::string(output);
}

}  // namespace

void PluginCalls::call(PluginCall call) {
  const auto load = loads_.find(call.load_id);
  if (!load || load->retired) {
    call.done(notRunning(load ? "is being unloaded or reloaded" : "is not loaded"));
    return;
  }
  if (!load->artifact) {
    call.done(Error{errc::kArtifactUnavailable,
                    fmt::format("plugin \"{}\" has no host entry; name one as svc.host in its "
                                "package.json",
                                load->plugin_id)});
    return;
  }
  const auto input = call.input();
  auto& usage = *load->usage;
  if (usage.calls >= limits::kHostActive || usage.bytes + input.size() > limits::kHostActiveBytes) {
    call.done(Error{errc::kTooManyCalls,
                    fmt::format("plugin \"{}\" waits for {} calls with {} bytes of input, limit "
                                "host-active is {} calls and {} bytes; call again when some have "
                                "been answered",
                                load->plugin_id, usage.calls, usage.bytes, limits::kHostActive,
                                limits::kHostActiveBytes)});
    return;
  }
  usage.calls += 1;
  usage.bytes += input.size();
  load->calls[call.number] = {
      .request = 0, .bytes = input.size(), .host_id = call.host_id, .done = std::move(call.done)};
  const auto head = fmt::format(
      R"({{"type":"{}","pluginId":"{}","generation":"{}","artifact":{{"digest":"{}","byteLength":{}}},"callId":"{}","timeoutMs":{}{},"method":)",
      hostprotocol::command::kCall, load->plugin_id, load->artifact->identity,
      load->artifact->digest, load->artifact->bytes->size(), call.number, call.timeout.count(),
      heapMember(heap_limits_.of(load->plugin_id)));
  const auto request = rpc_.request(
      call.host_id,
      {head, call.method, input.empty() ? std::string_view() : std::string_view(R"(,"input":)"),
       input, "}"},
      call.timeout + limits::kHostTransport,
      [weak = weak_from_this(), load, number = call.number](Result<std::string_view> result) {
        if (const auto self = weak.lock()) {
          self->finish(load, number,
                       result ? outputOf(result.value()) : Result<std::string>(result.error()));
        }
      });
  if (const auto found = load->calls.find(call.number); found != load->calls.end()) {
    found->second.request = request;
  }
}

void PluginCalls::finish(const LoadPtr& load, std::uint64_t number, Result<std::string> output) {
  auto node = load->calls.extract(number);
  if (node.empty()) {
    return;
  }
  load->usage->calls -= 1;
  load->usage->bytes -= node.mapped().bytes;
  if (output) {
    output = loads_.nameSourcesInJson(load->plugin_id, std::move(output).value());
  } else {
    auto error = output.error();
    error.message = loads_.nameSources(load->plugin_id, std::move(error.message));
    error.details = loads_.nameSourcesInJson(load->plugin_id, std::move(error.details));
    output = std::move(error);
  }
  node.mapped().done(std::move(output));
}

void PluginCalls::cancel(std::uint64_t load_id, std::uint64_t number) {
  const auto load = loads_.find(load_id);
  if (!load) {
    return;
  }
  const auto found = load->calls.find(number);
  if (found == load->calls.end()) {
    return;
  }
  rpc_.forget(found->second.request);
  if (load->artifact) {
    const auto text = common::Json::object()
                          .set("type", hostprotocol::command::kCancel)
                          .set("pluginId", load->plugin_id)
                          .set("generation", load->artifact->identity)
                          .set("callId", std::to_string(number))
                          .dump();
    rpc_.notify(found->second.host_id, {text});
  }
  finish(load, number, Error{errc::kAborted, "the call was aborted"});
}

void PluginCalls::dispose(std::uint64_t load_id, Completion<void> done) {
  const auto load = loads_.find(load_id);
  if (!load) {
    done({});
    return;
  }
  load->retired = true;
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, call] : load->calls) {
    rpc_.forget(call.request);
    numbers.push_back(number);
  }
  for (const auto number : numbers) {
    finish(load, number, notRunning("was unloaded or reloaded during the call"));
  }
  // The completion of the last answer ends the load, whatever the answers were.
  struct Ending {
    std::weak_ptr<PluginCalls> calls;
    std::uint64_t load_id;
    Completion<void> done;
    Ending(std::weak_ptr<PluginCalls> by, std::uint64_t id, Completion<void> answer)
        : calls(std::move(by)), load_id(id), done(std::move(answer)) {}
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;
    ~Ending() {
      if (const auto self = calls.lock()) {
        self->loads_.remove(load_id);
      }
      done({});
    }
  };
  const auto ending = std::make_shared<Ending>(weak_from_this(), load_id, std::move(done));
  if (!load->artifact) {
    return;
  }
  const auto text = disposeCommand(load->plugin_id, load->artifact->identity);
  for (const auto& session : sessions_.connected()) {
    rpc_.request(session->hostId(), {text}, limits::kDisposeWait,
                 [ending](const Result<std::string_view>&) {});
  }
}

void PluginCalls::sessionOpened(Session& session) {
  for (const auto& [plugin_id, identity] : session.announced()) {
    if (!loads_.current(plugin_id, identity)) {
      rpc_.notify(session.hostId(), {disposeCommand(plugin_id, identity)});
    }
  }
}

void PluginCalls::sessionEnded(Session& /*session*/, const std::string& /*why*/) {}

void PluginCalls::messageArrived(Session& /*session*/, const DaemonMessage& /*message*/) {}

}  // namespace svc::hosts
