#include "yaml_reader.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <yaml.h>

namespace svc::skillfiles {
namespace {

using common::Json;

constexpr std::size_t kDepth = 16;
constexpr std::size_t kValues = 2000;

/// libyaml's parser and the event it gave last.
class Events {
 public:
  explicit Events(std::string_view text) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (ready_) {
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                   text.size());
    }
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    drop();
    if (ready_) {
      yaml_parser_delete(&parser_);
    }
  }

  bool next() {
    drop();
    has_event_ = ready_ && yaml_parser_parse(&parser_, &event_) == 1;
    return has_event_;
  }
  [[nodiscard]] const yaml_event_t& event() const { return event_; }
  [[nodiscard]] int line() const { return static_cast<int>(event_.start_mark.line) + 1; }

  [[nodiscard]] YamlProblem failure() const {
    const auto line = static_cast<int>(parser_.problem_mark.line) + 1;
    const char* const what = parser_.problem == nullptr ? "not readable" : parser_.problem;
    if (parser_.error == YAML_READER_ERROR) {
      return {1, fmt::format("{} at byte {}", what, parser_.problem_offset)};
    }
    return {line, what};
  }

 private:
  void drop() {
    if (std::exchange(has_event_, false)) {
      yaml_event_delete(&event_);
    }
  }

  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ready_ = false;
  bool has_event_ = false;
};

template <class Number>
std::optional<Number> whole(std::string_view text, int base) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(value)
                                                                         : std::nullopt;
}

std::optional<Json> number(std::string_view text) {
  const bool negative = text.starts_with('-');
  auto digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789abcdefABCDEFox.+-") != digits.npos) {
    return std::nullopt;
  }
  if (digits == text && (digits.starts_with("0x") || digits.starts_with("0o"))) {
    const auto value = whole<std::int64_t>(digits.substr(2), digits[1] == 'x' ? 16 : 8);
    return value ? std::optional(Json(*value)) : std::nullopt;
  }
  if (digits.find_first_not_of("0123456789") == digits.npos) {
    if (const auto value = whole<std::int64_t>(digits, 10)) {
      return Json(negative ? -*value : *value);
    }
  }
  const bool decimal = digits.find_first_not_of("0123456789.eE+-") == digits.npos &&
                       digits.find_first_of("0123456789") <= 1 && !digits.starts_with('+') &&
                       !digits.starts_with('-');
  double value = 0;
  if (!decimal) {
    return std::nullopt;
  }
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return Json(negative ? -value : value);
}

/// What a scalar without quotes means.
Json plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return {};
  }
  if (text == "true" || text == "True" || text == "TRUE") {
    return true;
  }
  if (text == "false" || text == "False" || text == "FALSE") {
    return false;
  }
  if (auto value = number(text)) {
    return *std::move(value);
  }
  return Json(text);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : events_(text) {}

  std::variant<YamlDocument, YamlProblem> read() {
    YamlDocument document;
    // Stream, document, first value; behind the end of an empty stream comes no event.
    if (next() && next() && next()) {
      if (events_.event().type == YAML_NO_EVENT) {
        fail(1, "it is empty");
      } else if (auto value = readValue(0, &document.lines)) {
        document.value = *std::move(value);
        if (next() && next() && events_.event().type != YAML_STREAM_END_EVENT) {
          fail(events_.line(), "a second document begins");
        }
      }
    }
    if (problem_) {
      return *std::move(problem_);
    }
    return document;
  }

 private:
  using Lines = std::map<std::string, int, std::less<>>;

  bool next() {
    if (problem_) {
      return false;
    }
    if (!events_.next()) {
      problem_ = events_.failure();
    }
    return !problem_;
  }

  std::optional<Json> fail(int line, std::string message) {
    if (!problem_) {
      problem_ = YamlProblem{line, std::move(message)};
    }
    return std::nullopt;
  }

  std::optional<Json> readValue(std::size_t depth, Lines* lines) {
    const auto& event = events_.event();
    if (depth > kDepth) {
      return fail(events_.line(), fmt::format("values are nested more than {} deep", kDepth));
    }
    if (++values_ > kValues) {
      return fail(events_.line(), fmt::format("there are more than {} values", kValues));
    }
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return scalar();
      case YAML_MAPPING_START_EVENT:
        return plainStart(event.data.mapping_start.anchor, event.data.mapping_start.tag)
                   ? mapping(depth, lines)
                   : std::nullopt;
      case YAML_SEQUENCE_START_EVENT:
        return plainStart(event.data.sequence_start.anchor, event.data.sequence_start.tag)
                   ? sequence(depth)
                   : std::nullopt;
      case YAML_ALIAS_EVENT:
        return fail(events_.line(), "anchors and aliases are not read");
      default:
        return fail(events_.line(), "a value is missing");
    }
  }

  bool plainStart(const yaml_char_t* anchor, const yaml_char_t* tag) {
    if (anchor != nullptr) {
      fail(events_.line(), "anchors and aliases are not read");
    } else if (tag != nullptr) {
      fail(events_.line(), "tags are not read");
    }
    return !problem_;
  }

  std::optional<Json> scalar() {
    const auto& scalar = events_.event().data.scalar;
    if (!plainStart(scalar.anchor, scalar.tag)) {
      return std::nullopt;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    return scalar.style == YAML_PLAIN_SCALAR_STYLE ? plain(text) : Json(text);
  }

  std::optional<Json> mapping(std::size_t depth, Lines* lines) {
    auto object = Json::object();
    while (next() && events_.event().type != YAML_MAPPING_END_EVENT) {
      const int line = events_.line();
      if (events_.event().type != YAML_SCALAR_EVENT) {
        return fail(line, "a key must be one word or text");
      }
      if (!scalar()) {
        return std::nullopt;
      }
      const auto& event = events_.event().data.scalar;
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes
      std::string key(reinterpret_cast<const char*>(event.value), event.length);
      if (object.find(key) != nullptr) {
        return fail(line, fmt::format("\"{}\" is there twice", key));
      }
      if (lines != nullptr) {
        lines->emplace(key, line);
      }
      auto value = next() ? readValue(depth + 1, nullptr) : std::nullopt;
      if (!value) {
        return std::nullopt;
      }
      object.set(std::move(key), *std::move(value));
    }
    return problem_ ? std::nullopt : std::optional(std::move(object));
  }

  std::optional<Json> sequence(std::size_t depth) {
    auto array = Json::array();
    while (next() && events_.event().type != YAML_SEQUENCE_END_EVENT) {
      auto value = readValue(depth + 1, nullptr);
      if (!value) {
        return std::nullopt;
      }
      array.push(*std::move(value));
    }
    return problem_ ? std::nullopt : std::optional(std::move(array));
  }

  Events events_;
  std::optional<YamlProblem> problem_;
  std::size_t values_ = 0;
};

}  // namespace

std::variant<YamlDocument, YamlProblem> parseYaml(std::string_view text) {
  return Reader(text).read();
}

}  // namespace svc::skillfiles
