#include "progress.h"

#include <ostream>

#include "text.h"

namespace svc::client {
namespace {
constexpr const char* kRestart = "\r\x1b[K";
}

Progress::Progress(const Console& console)
    : console_(console), active_(console.err_terminal && !console.json) {}

void Progress::show(const std::string& text) {
  if (!active_ || text == shown_) {
    return;
  }
  console_.err << kRestart << oneLine(text) << " …" << std::flush;
  shown_ = text;
}

void Progress::clear() {
  if (active_ && !shown_.empty()) {
    console_.err << kRestart << std::flush;
    shown_.clear();
  }
}

}  // namespace svc::client
