#include "svc/base/process_marks.h"

#include <csignal>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/marked_processes.h"
#include "svc/base/random.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMarkBytes = 16;

bool isMark(const std::string& name) {
  return name.size() == 2 * kMarkBytes &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<std::string> ProcessMarks::add() const {
  if (auto made = makePrivateDirectory(directory_); !made) {
    return std::move(made).error();
  }
  auto mark = randomHex(kMarkBytes);
  const std::ofstream file(directory_ / mark);
  if (!file) {
    return Error{errc::kUnavailable, fmt::format("{} cannot be written", directory_.string())};
  }
  return mark;
}

void ProcessMarks::remove(const std::string& mark) const {
  std::error_code ignored;
  fs::remove(directory_ / mark, ignored);
}

void ProcessMarks::endLeftovers() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory_, ignored)) {
    if (const auto mark = entry.path().filename().string(); isMark(mark)) {
      signalMarked(mark, SIGKILL);
      remove(mark);
    }
  }
}

}  // namespace svc::base
