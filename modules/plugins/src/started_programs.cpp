#include "started_programs.h"

#include <sys/stat.h>

#include <csignal>

#include <fmt/format.h>

#include "svc/base/marked_processes.h"
#include "svc/base/random.h"

namespace svc::plugins {
namespace {

constexpr std::size_t kRandomBytes = 16;

std::string marksOf(const std::filesystem::path& data) {
  struct stat status {};
  return ::stat(data.c_str(), &status) == 0
             ? fmt::format("{:x}.{:x}.", status.st_dev, status.st_ino)
             : std::string();
}

}  // namespace

std::string newProgramMark(const std::filesystem::path& data) {
  const auto beginning = marksOf(data);
  return beginning.empty() ? beginning : beginning + base::randomHex(kRandomBytes);
}

std::size_t endProgramsLeftBehind(const std::filesystem::path& data) {
  return base::signalMarkedBelow(marksOf(data), SIGKILL);
}

}  // namespace svc::plugins
