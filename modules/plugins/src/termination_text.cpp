#include "termination_text.h"

#include <sstream>

#include <fmt/format.h>

namespace svc::plugins {

using script::TerminationReason;

std::string terminationText(const script::Termination& termination) {
  switch (termination.reason) {
    case TerminationReason::kProcessExit:
      return fmt::format("the plugin called process.exit({})", termination.exit_code);
    case TerminationReason::kProcessAbort:
      return "the plugin called process.abort()";
    case TerminationReason::kSignal:
      return termination.message;
    case TerminationReason::kHeapLimit:
      return termination.message.empty() ? "the plugin reached its heap limit"
                                         : termination.message;
    case TerminationReason::kWatchdog: {
      auto text = termination.message.empty() ? "the event loop did not answer and was terminated"
                                              : termination.message;
      const auto line = blockingLine(termination.stack);
      return line.empty() ? text : fmt::format("{}; it was blocked at {}", text, line);
    }
    case TerminationReason::kRequested:
    case TerminationReason::kBootstrapFailed:
      break;
  }
  return termination.message.empty() ? "the environment has ended" : termination.message;
}

std::string blockingLine(const std::string& stack) {
  constexpr std::string_view kAt = "at ";
  std::string first;
  std::istringstream lines(stack);
  for (std::string line; std::getline(lines, line);) {
    const auto start = line.find(kAt);
    if (start == std::string::npos) {
      continue;
    }
    auto place = line.substr(start + kAt.size());
    // The author's line says more than what it has called of Node or of the service.
    if (place.find("node:") == std::string::npos && place.find("svc:") == std::string::npos) {
      return place;
    }
    if (first.empty()) {
      first = std::move(place);
    }
  }
  return first;
}

bool restartsAfter(TerminationReason reason) {
  return reason == TerminationReason::kHeapLimit || reason == TerminationReason::kWatchdog;
}

}  // namespace svc::plugins
