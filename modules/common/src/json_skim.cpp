#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/json.h"
#include "svc/common/json_slices.h"

#include "json_depth.h"

namespace svc::common {
namespace {

/// Bytes that matter inside of an object or array: all others are passed over without a look.
constexpr auto kStructure = [] {
  std::array<bool, 256> marked{};
  for (const char byte : {'"', '{', '}', '[', ']'}) {
    marked[static_cast<unsigned char>(byte)] = true;
  }
  return marked;
}();

constexpr auto kStringEnds = [] {
  std::array<bool, 256> marked{};
  for (const char byte : {'"', '\\'}) {
    marked[static_cast<unsigned char>(byte)] = true;
  }
  return marked;
}();

/// Finds where the values of the outermost object begin and end.
class Skimmer {
 public:
  using Members = std::vector<std::pair<std::string, std::string_view>>;

  explicit Skimmer(std::string_view text) : text_(text) {}

  /// False when the text is no object; problem() says why.
  bool run(Members& out) {
    if (!take('{')) {
      return fail(at_ == text_.size() ? "the text is empty" : "expected a JSON object");
    }
    if (!take('}') && !members(out)) {
      return false;
    }
    skipSpace();
    return at_ == text_.size() || fail("there is more after the object");
  }

  [[nodiscard]] Error problem() const {
    return {errc::kInvalidArgument,
            std::string(problem_) + " (at byte " + std::to_string(at_) + ")"};
  }

 private:
  bool members(Members& out) {
    do {
      skipSpace();
      const auto key_at = at_;
      if (peek() != '"' || !string()) {
        return fail("expected the name of a member");
      }
      const auto quoted = text_.substr(key_at, at_ - key_at);
      std::string key;
      if (quoted.find('\\') == std::string_view::npos && isValidJson(quoted)) {
        key = quoted.substr(1, quoted.size() - 2);
      } else if (auto parsed = Json::parse(quoted)) {
        key = parsed.value().asString();
      } else {
        return fail("the name of a member is not valid");
      }
      if (!take(':')) {
        return fail("expected a colon");
      }
      skipSpace();
      const auto value_at = at_;
      if (!value()) {
        return false;
      }
      out.emplace_back(std::move(key), text_.substr(value_at, at_ - value_at));
    } while (take(','));
    return take('}') || fail("expected a comma or the end of the object");
  }

  bool value() {
    switch (peek()) {
      case '"':
        return string();
      case '{':
      case '[':
        return nested();
      default:
        return scalar();
    }
  }

  bool scalar() {
    const auto end = text_.find_first_of(",}] \t\r\n", at_);
    const auto token = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    if (!isValidJson(token)) {
      return fail("expected a value");
    }
    at_ += token.size();
    return true;
  }

  /// From the quotation mark that begins a string past the one that ends it.
  bool string() {
    for (++at_; advance(kStringEnds); at_ += 2) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
    }
    return fail("a string has no end");
  }

  /// From the bracket that begins an object or array past the one that ends it.
  bool nested() {
    std::array<char, kMaxSliceDepth> open{};
    std::size_t depth = 1;  // the outermost object
    while (advance(kStructure)) {
      const char byte = text_[at_];
      if (byte == '"') {
        if (!string()) {
          return false;
        }
        continue;
      }
      if (byte == '{' || byte == '[') {
        if (depth == kMaxSliceDepth) {
          return fail("it is more than 132 levels deep");
        }
        open[depth++] = byte == '{' ? '}' : ']';
      } else if (open[--depth] != byte) {
        return fail("a bracket does not match");
      }
      ++at_;
      if (depth == 1) {
        return true;
      }
    }
    return fail("an object or array has no end");
  }

  /// To the next of the marked bytes; false when there is none.
  bool advance(const std::array<bool, 256>& marked) {
    while (at_ < text_.size() && !marked[static_cast<unsigned char>(text_[at_])]) {
      ++at_;
    }
    return at_ < text_.size();
  }

  void skipSpace() {
    const auto next = text_.find_first_not_of(" \t\r\n", at_);
    at_ = next == std::string_view::npos ? text_.size() : next;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char byte) {
    skipSpace();
    if (peek() != byte) {
      return false;
    }
    ++at_;
    return true;
  }
  bool fail(const char* problem) {
    if (problem_ == nullptr) {
      problem_ = problem;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const char* problem_ = nullptr;
};

}  // namespace

Result<JsonSlices> JsonSlices::skim(std::string_view text) {
  JsonSlices slices;
  Skimmer skimmer(text);
  if (!skimmer.run(slices.members_)) {
    return skimmer.problem();
  }
  return slices;
}

}  // namespace svc::common
