#include "progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace svc::mcp {
namespace {

/// Of the number itself, or of 1. In an hour a tool that counts to 1 has seemed to get on by less than a thousandth.
constexpr double kStep = 1e-6;

double beyond(double value) { return value + std::max(1.0, std::abs(value)) * kStep; }

}  // namespace

std::optional<ProgressReport> Progress::reported(ProgressReport report) {
  if (source_ && report.value <= source_->value) {
    return std::nullopt;
  }
  source_ = report;
  if (sent_ && report.value <= *sent_) {
    report.value = beyond(*sent_);
  }
  sent_ = report.value;
  return report;
}

std::optional<ProgressReport> Progress::signOfLife(std::string running) {
  auto report = source_.value_or(ProgressReport{});
  report.value = beyond(sent_.value_or(0));
  if (!std::isfinite(report.value)) {
    return std::nullopt;
  }
  // All of it is done and it goes on: nobody knows how much there is.
  if (report.total && report.value > *report.total) {
    report.total.reset();
  }
  if (report.message.empty()) {
    report.message = std::move(running);
  }
  sent_ = report.value;
  return report;
}

}  // namespace svc::mcp
