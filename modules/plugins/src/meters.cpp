#include "meters.h"

#include <algorithm>
#include <array>

#include "svc/common/codes.h"

#include "log_line.h"

namespace svc::plugins {

void Meters::addCall(double took_ms) {
  auto& handlers = values_.handlers;
  ++handlers.count;
  handlers.total_ms += took_ms;
  handlers.max_ms = std::max(handlers.max_ms, took_ms);
  const auto bound = std::lower_bound(kLatencyBoundsMs.begin(), kLatencyBoundsMs.end(), took_ms);
  ++values_.latencies[static_cast<std::size_t>(bound - kLatencyBoundsMs.begin())];
}

void Meters::recordCall(std::chrono::duration<double, std::milli> took) {
  const std::scoped_lock lock(mutex_);
  addCall(took.count());
}

void Meters::recordFailedCall(std::optional<std::chrono::duration<double, std::milli>> took,
                              PluginError error) {
  const std::scoped_lock lock(mutex_);
  if (took) {
    addCall(took->count());
  }
  ++values_.handlers.error_count;
  setLastError(std::move(error));
}

void Meters::recordLostCall(std::optional<std::chrono::duration<double, std::milli>> took) {
  const std::scoped_lock lock(mutex_);
  if (took) {
    addCall(took->count());
  }
  ++values_.handlers.error_count;
}

void Meters::recordOutOfBand(PluginError error) {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.out_of_band_errors;
  setLastError(std::move(error));
}

void Meters::recordStall() {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.watchdog_stalls;
}

void Meters::recordTermination(PluginError error) {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.terminations;
  setLastError(std::move(error));
}

void Meters::recordHeldCall() {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.held_calls;
}

void Meters::recordError(PluginError error) {
  const std::scoped_lock lock(mutex_);
  setLastError(std::move(error));
}

void Meters::setLastError(PluginError error) {
  error.message = cutStatus(std::move(error.message));
  error.stack = cutMessage(std::move(error.stack));
  values_.last_error = std::move(error);
}

void Meters::recordRestart() {
  const std::scoped_lock lock(mutex_);
  ++values_.restarts;
}

void Meters::addEnvironment(const std::shared_ptr<script::IScriptInstance>& instance) {
  const std::scoped_lock lock(mutex_);
  environments_.push_back(instance);
}

void Meters::removeEnvironment(const script::IScriptInstance& instance) {
  const auto stats = instance.stats();
  std::vector<std::shared_ptr<script::IScriptInstance>> seen;  // released without the lock
  const std::scoped_lock lock(mutex_);
  std::erase_if(parked_, [&](const auto& entry) {
    seen.push_back(entry);
    return !entry->stats().parked;
  });
  std::erase_if(environments_, [&](const auto& entry) {
    const auto& known = seen.emplace_back(entry.lock());
    if (known.get() == &instance && stats.parked) {
      parked_.push_back(known);
    }
    return !known || known.get() == &instance;
  });
  ended_cpu_ms_ += stats.cpu_ms;
}

Meters::Parked Meters::parked() const {
  const std::scoped_lock lock(mutex_);
  Parked sum;
  for (const auto& entry : parked_) {
    if (const auto stats = entry->stats(); stats.parked) {
      ++sum.count;
      sum.bytes += stats.heap_bytes + stats.external_bytes + stats.database_bytes;
    }
  }
  return sum;
}

script::ScriptStats Meters::environments() const {
  std::vector<std::shared_ptr<script::IScriptInstance>> seen;  // released without the lock
  const std::scoped_lock lock(mutex_);
  script::ScriptStats sum;
  sum.cpu_ms = ended_cpu_ms_;
  for (const auto& entry : environments_) {
    if (const auto& instance = seen.emplace_back(entry.lock())) {
      const auto stats = instance->stats();
      sum.cpu_ms += stats.cpu_ms;
      sum.cpu_percent += stats.cpu_percent;
      sum.loop_delay_p99_ms = std::max(sum.loop_delay_p99_ms, stats.loop_delay_p99_ms);
      sum.heap_bytes += stats.heap_bytes;
      sum.external_bytes += stats.external_bytes;
      sum.pending_calls += stats.pending_calls;
      sum.worker_threads += stats.worker_threads;
      sum.blocking_operations += stats.blocking_operations;
      sum.descriptors += stats.descriptors;
      sum.database_bytes += stats.database_bytes;
      sum.database_connections += stats.database_connections;
    }
  }
  return sum;
}

Meters::Snapshot Meters::snapshot() const {
  const std::scoped_lock lock(mutex_);
  return values_;
}

void Meters::restore(Kept before) {
  const std::scoped_lock lock(mutex_);
  before_ = std::move(before);
}

Meters::Kept Meters::kept() const {
  const std::scoped_lock lock(mutex_);
  auto sum = before_;
  const auto& [handlers, counters, last_error, latencies, restarts] = values_;
  sum.handlers.count += handlers.count;
  sum.handlers.total_ms += handlers.total_ms;
  sum.handlers.max_ms = std::max(sum.handlers.max_ms, handlers.max_ms);
  sum.handlers.error_count += handlers.error_count;
  sum.counters.out_of_band_errors += counters.out_of_band_errors;
  sum.counters.watchdog_stalls += counters.watchdog_stalls;
  sum.counters.terminations += counters.terminations;
  sum.counters.held_calls += counters.held_calls;
  if (last_error) {
    sum.last_error = last_error;
  }
  return sum;
}

bool isPluginFailure(Errc code) {
  constexpr std::array kCallerFailures{
      errc::kInvalidInput, errc::kInvalidJson, errc::kUnknownMethod, errc::kUnknownCommand,
      errc::kTooLarge,     errc::kAborted,     errc::kOverloaded,    errc::kPluginNotRunning};
  return std::find(kCallerFailures.begin(), kCallerFailures.end(), code) == kCallerFailures.end();
}

}  // namespace svc::plugins
