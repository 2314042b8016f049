#include "plugin_events.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"

namespace svc::hosts {

void PluginEvents::sessionOpened(Session& /*session*/) {}

void PluginEvents::sessionEnded(Session& /*session*/, const std::string& /*why*/) {}

void PluginEvents::messageArrived(Session& session, const DaemonMessage& message) {
  if (const auto* signal = std::get_if<HostSignal>(&message)) {
    signalled(session.hostId(), *signal);
  } else if (const auto* exit = std::get_if<WorkerExit>(&message)) {
    exited(session.hostId(), *exit);
  } else if (const auto* log = std::get_if<WorkerLog>(&message)) {
    logged(session.hostId(), *log);
  }
}

void PluginEvents::signalled(const std::string& host_id, const HostSignal& signal) {
  const auto load = loads_.current(signal.plugin_id, signal.generation);
  if (!load) {
    return;
  }
  if (signal.payload.size() > limits::kHostOutput) {
    if (const auto generation = load->generation.lock()) {
      generation->log(
          "warn", fmt::format("a signal \"{}\" of host \"{}\" is dropped: its payload has "
                              "{} bytes as JSON, limit host-output is {}",
                              signal.name, host_id, signal.payload.size(), limits::kHostOutput));
    }
    return;
  }
  deliver(*load, host_id, &signal.name,
          loads_.nameSourcesInJson(signal.plugin_id, std::string(signal.payload)));
}

void PluginEvents::exited(const std::string& host_id, const WorkerExit& exit) {
  if (const auto load = loads_.current(exit.plugin_id, exit.generation)) {
    deliver(*load, host_id, nullptr, {});
  }
}

void PluginEvents::deliver(Load& load, const std::string& host_id, const std::string* signal,
                           std::string_view payload) {
  const auto generation = load.generation.lock();
  if (!generation) {
    return;
  }
  auto& waiting = *load.waiting;
  if (waiting.events >= kWaiting || waiting.bytes + payload.size() > kWaitingBytes) {
    if (!std::exchange(load.dropping_events, true)) {
      generation->log("warn",
                      fmt::format("signals of host \"{}\" are dropped: {} wait for the plugin "
                                  "already; send fewer, or answer faster",
                                  host_id, waiting.events.load()));
    }
    return;
  }
  if (waiting.events == 0) {
    load.dropping_events = false;
  }
  waiting.events += 1;
  waiting.bytes += payload.size();
  auto meta = common::Json::object().set("hostId", host_id);
  if (signal != nullptr) {
    meta.set("signal", *signal);
  }
  script::Invocation invocation{
      .function = "hosts.event", .meta = meta.dump(), .body = std::string(payload)};
  generation->invoke("host:" + host_id, std::move(invocation),
                     [held = load.waiting, bytes = payload.size()](const Result<std::string>&) {
                       held->events -= 1;
                       held->bytes -= bytes;
                     });
}

void PluginEvents::logged(const std::string& host_id, const WorkerLog& log) {
  for (const auto& line : log.lines) {
    const auto* level = line.is_error ? "error" : line.is_error_stream ? "warn" : "info";
    logs_.append(log.plugin_id, {.level = level,
                                 .source = "host:" + host_id,
                                 .generation = loads_.number(log.plugin_id),
                                 .message = loads_.nameSources(log.plugin_id, line.text),
                                 .stack = {}});
  }
}

}  // namespace svc::hosts
