#include <algorithm>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {
namespace {

bool isControl(char c) {
  constexpr char kDelete = 0x7f;
  return static_cast<unsigned char>(c) < ' ' || c == kDelete;
}

/// U+0080 to U+009F, which terminals take for escapes as well.
bool isWideControl(std::string_view text, std::size_t at) {
  return text.substr(at, 1) == "\xC2" && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

bool hasControls(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (isControl(text[at]) || isWideControl(text, at)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool isPlainPath(std::string_view path) {
  if (path.empty() || !common::isUtf8(path) || hasControls(path)) {
    return false;
  }
  while (true) {
    const auto end = std::min(path.find('/'), path.size());
    const auto segment = path.substr(0, end);
    if (segment.empty() || segment == "." || segment == "..") {
      return false;
    }
    if (end == path.size()) {
      return true;
    }
    path.remove_prefix(end + 1);
  }
}

std::string shownName(std::string_view name) {
  const bool readable = common::isUtf8(name);
  std::string shown;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    const bool strange = !readable && byte >= 0x80;
    if (isControl(name[at]) || strange || (readable && isWideControl(name, at))) {
      shown += fmt::format("\\x{:02X}", byte);
      if (readable && isWideControl(name, at)) {
        ++at;
        shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(name[at]));
      }
    } else {
      shown += name[at];
    }
  }
  return shown;
}

}  // namespace svc::skillfiles
