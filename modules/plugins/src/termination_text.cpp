#include "termination_text.h"

#include <fmt/format.h>

namespace svc::plugins {

using script::TerminationReason;

std::string terminationText(const script::Termination& termination) {
  switch (termination.reason) {
    case TerminationReason::kProcessExit:
      return fmt::format("the plugin called process.exit({})", termination.exit_code);
    case TerminationReason::kProcessAbort:
      return "the plugin called process.abort()";
    case TerminationReason::kHeapLimit:
      return termination.message.empty() ? "the plugin reached its heap limit"
                                         : termination.message;
    case TerminationReason::kWatchdog:
      return termination.message.empty() ? "the event loop did not answer and was terminated"
                                         : termination.message;
    case TerminationReason::kRequested:
    case TerminationReason::kBootstrapFailed:
      break;
  }
  return termination.message.empty() ? "the environment has ended" : termination.message;
}

bool restartsAfter(TerminationReason reason) {
  return reason == TerminationReason::kHeapLimit || reason == TerminationReason::kWatchdog;
}

}  // namespace svc::plugins
