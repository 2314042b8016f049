#include "started_programs.h"

#include <csignal>

#include "svc/base/data_marks.h"
#include "svc/base/random.h"

namespace svc::plugins {
namespace {

constexpr std::size_t kRandomBytes = 16;

}  // namespace

std::string newProgramMark(const std::filesystem::path& data) {
  const auto beginning = base::marksOf(data);
  return beginning.empty() ? beginning : beginning + base::randomHex(kRandomBytes);
}

std::size_t endProgramsLeftBehind(const std::filesystem::path& data) {
  return base::signalMarkedBelow(base::marksOf(data), SIGKILL);
}

}  // namespace svc::plugins
