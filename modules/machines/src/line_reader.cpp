#include "line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "svc/common/limits/hosts.h"

namespace svc::machines {

bool LineReader::readFrom(int descriptor) {
  // A writer that never pauses must not keep the reader from looking at anything else.
  constexpr int kReads = 64;
  std::array<char, 16384> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (int count = 0; count < kReads; ++count) {
    const auto got = ::read(descriptor, chunk.data(), chunk.size());
    if (got > 0) {
      add({chunk.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || errno != EINTR) {
      return got < 0 && errno == EAGAIN;
    }
  }
  return true;
}

void LineReader::add(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto room = limits::kWorkerLogLine - std::min(limits::kWorkerLogLine, line_.size());
    line_.append(text.substr(0, std::min(end, room)));
    if (end == text.size()) {
      return;
    }
    finish();
    text.remove_prefix(end + 1);
  }
}

void LineReader::finish() {
  if (!line_.empty()) {
    on_line_(line_);
    line_.clear();
  }
}

}  // namespace svc::machines
