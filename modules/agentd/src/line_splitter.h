#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::agentd {

/// Cuts what an agent writes into lines, whatever pieces it comes in.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  /// Complete lines without their ends and without empty ones, appended to `lines`. False once a line is longer than allowed: it
  /// and what follows are lost.
  [[nodiscard]] bool add(std::string_view bytes, std::vector<std::string>& lines) {
    while (!broken_ && !bytes.empty()) {
      const auto end = bytes.find('\n');
      const auto part = bytes.substr(0, end);
      if (rest_.size() + part.size() > longest_) {
        broken_ = true;
        rest_ = {};
        break;
      }
      rest_ += part;
      if (end == std::string_view::npos) {
        break;
      }
      bytes.remove_prefix(end + 1);
      if (rest_.ends_with('\r')) {
        rest_.pop_back();
      }
      if (!rest_.empty()) {
        lines.push_back(std::move(rest_));
        rest_ = {};
      }
    }
    return !broken_;
  }

 private:
  const std::size_t longest_;
  std::string rest_;
  bool broken_ = false;
};

}  // namespace svc::agentd
