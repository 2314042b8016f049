#include "meters.h"

#include <algorithm>
#include <array>

#include "svc/common/codes.h"

namespace svc::plugins {

void Meters::addCall(double took_ms) {
  auto& handlers = values_.handlers;
  ++handlers.count;
  handlers.total_ms += took_ms;
  handlers.max_ms = std::max(handlers.max_ms, took_ms);
}

void Meters::recordCall(std::chrono::duration<double, std::milli> took) {
  const std::scoped_lock lock(mutex_);
  addCall(took.count());
}

void Meters::recordFailedCall(std::chrono::duration<double, std::milli> took, PluginError error) {
  const std::scoped_lock lock(mutex_);
  addCall(took.count());
  ++values_.handlers.error_count;
  values_.last_error = std::move(error);
}

void Meters::recordOutOfBand(PluginError error) {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.out_of_band_errors;
  values_.last_error = std::move(error);
}

void Meters::recordStall() {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.watchdog_stalls;
}

void Meters::recordTermination(PluginError error) {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.terminations;
  values_.last_error = std::move(error);
}

void Meters::recordHeldCall() {
  const std::scoped_lock lock(mutex_);
  ++values_.counters.held_calls;
}

void Meters::recordError(PluginError error) {
  const std::scoped_lock lock(mutex_);
  values_.last_error = std::move(error);
}

Meters::Snapshot Meters::snapshot() const {
  const std::scoped_lock lock(mutex_);
  return values_;
}

bool isPluginFailure(Errc code) {
  constexpr std::array kCallerFailures{
      errc::kInvalidInput, errc::kInvalidJson, errc::kUnknownMethod, errc::kUnknownCommand,
      errc::kTooLarge,     errc::kAborted,     errc::kOverloaded,    errc::kPluginNotRunning};
  return std::find(kCallerFailures.begin(), kCallerFailures.end(), code) == kCallerFailures.end();
}

}  // namespace svc::plugins
