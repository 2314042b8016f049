#include "svc/base/backward_lines.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace svc::base {
namespace {

constexpr std::size_t kChunk = 64UL * 1024;

/// Takes the lines off the end of `text`; the first one stays while its beginning is not there.
bool visitLines(std::string& text, bool at_start,
                const std::function<bool(std::string_view)>& visit) {
  while (!text.empty()) {
    if (text.back() == '\n') {
      text.pop_back();
    }
    const auto start = text.rfind('\n');
    if (start == std::string::npos && !at_start) {
      text.push_back('\n');
      return true;
    }
    const auto from = start == std::string::npos ? 0 : start + 1;
    if (from < text.size() && !visit(std::string_view(text).substr(from))) {
      return false;
    }
    text.resize(from);
  }
  return true;
}

}  // namespace

bool eachLineBackward(int file, std::size_t end,
                      const std::function<bool(std::string_view line)>& visit) {
  std::string tail;  // the beginning of a line whose end has been read
  while (end > 0) {
    const auto step = std::min(end, kChunk);
    end -= step;
    std::string chunk(step, '\0');
    if (::pread(file, chunk.data(), step, static_cast<off_t>(end)) != static_cast<ssize_t>(step)) {
      return true;
    }
    tail.insert(0, chunk);
    if (!visitLines(tail, end == 0, visit)) {
      return false;
    }
  }
  return true;
}

}  // namespace svc::base
