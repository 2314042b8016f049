#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::common {

/// The members of a JSON object as the text they have, for messages whose large parts are only passed on. The text may be four
/// levels deeper than Json::parse() allows: messages wrap a value that has as many. Views into the parsed text: the caller keeps it.
class JsonSlices {
 public:
  /// An object, checked whole as by Json::parse(); anything else is `invalid_argument`.
  [[nodiscard]] static Result<JsonSlices> parse(std::string_view text);
  /// As parse(), and many times as fast: names, numbers and literals of the object are checked, but of strings, objects and arrays only
  /// where they end: quotes and brackets match, and the depth is within the limit. Who uses such a value checks it.
  [[nodiscard]] static Result<JsonSlices> skim(std::string_view text);

  /// The text of the member, without space around it; empty when absent. Of equal keys the last one counts.
  [[nodiscard]] std::string_view raw(std::string_view key) const;
  /// A string member, unescaped; empty when absent or not a string.
  [[nodiscard]] std::string text(std::string_view key) const;
  /// Every member in the order of the text, for messages that must have no others than expected.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string_view>>& members() const {
    return members_;
  }

 private:
  std::vector<std::pair<std::string, std::string_view>> members_;
};

}  // namespace svc::common
