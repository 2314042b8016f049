#include "mcp_setup/json_member.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::client {
namespace {

using common::Json;

/// One member of an object, as positions in the text.
struct Member {
  std::string name;
  std::size_t key = 0;
  std::size_t value = 0;
  std::size_t value_end = 0;
};

/// One object, as positions in the text.
struct Object {
  std::vector<Member> members;
  std::size_t open = 0;
  std::size_t close = 0;
  bool trailing_comma = false;
  std::size_t last_end =
      0;  ///< behind the last thing before `close` that is no blank, comments included
};

/// Walks through JSON with comments that is known to be valid.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] Object object(std::size_t at) {
    at_ = at;
    skipBlanks();
    Object found;
    found.open = at_++;
    found.last_end = at_;
    for (;;) {
      skipBlanks(&found.last_end);
      if (text_[at_] == '}') {
        found.close = at_;
        return found;
      }
      if (text_[at_] == ',') {
        found.trailing_comma = true;
        found.last_end = ++at_;
        continue;
      }
      found.trailing_comma = false;
      found.members.push_back(member());
      found.last_end = at_;
    }
  }

 private:
  Member member() {
    const auto key = at_;
    skipString();
    Member one;
    one.key = key;
    if (auto name = Json::parse(text_.substr(key, at_ - key))) {
      one.name = name.value().asString();
    }
    skipBlanks();
    ++at_;  // ':'
    skipBlanks();
    one.value = at_;
    skipValue();
    one.value_end = at_;
    return one;
  }

  void skipBlanks(std::size_t* end_of_comments = nullptr) {
    while (at_ < text_.size()) {
      const auto rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const auto end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
        ++at_;
        continue;
      } else {
        return;
      }
      if (end_of_comments != nullptr) {
        *end_of_comments = at_ > 0 && text_[at_ - 1] == '\r' ? at_ - 1 : at_;
      }
    }
  }

  void skipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      }
    }
    ++at_;
  }

  void skipValue() {
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skipString();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (depth == 0) {
        at_ = std::min(text_.find_first_of(",}] \t\r\n/", at_), text_.size());
      } else {
        ++at_;
      }
      if (depth > 0) {
        skipBlanks();
      }
    } while (depth > 0 && at_ < text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

const Member* find(const Object& object, const std::string& name) {
  const Member* found = nullptr;
  for (const auto& member : object.members) {
    if (member.name == name) {
      found = &member;  // of two the last one counts
    }
  }
  return found;
}

/// The blanks that one level of the file is indented by.
std::string indentOf(const std::string& text, const Object& root) {
  if (root.members.empty()) {
    return "  ";
  }
  const auto line = text.find('\n', root.open);
  const auto first = line == std::string::npos ? line : text.find_first_not_of(" \t\r\n", line);
  if (first == std::string::npos || first > root.close) {
    return "  ";
  }
  const auto start = text.rfind('\n', first) + 1;
  return first == start ? "  " : text.substr(start, first - start);
}

/// Pretty JSON whose lines stand `depth` levels in.
std::string laidOut(const Json& value, const std::string& indent, std::size_t depth,
                    const std::string& line_end) {
  std::string out;
  const auto pretty = value.dumpPretty();
  for (std::size_t at = 0; at < pretty.size();) {
    const auto end = std::min(pretty.find('\n', at), pretty.size());
    const auto first = std::min(pretty.find_first_not_of(' ', at), end);
    if (at > 0) {
      out += line_end;
      for (std::size_t level = 0; level < depth + (first - at) / 2; ++level) {
        out += indent;
      }
    }
    out += pretty.substr(first, end - first);
    at = end + 1;
  }
  return out;
}

struct Layout {
  std::string indent;
  std::string line_end;

  [[nodiscard]] std::string levels(std::size_t depth) const {
    std::string out;
    for (std::size_t level = 0; level < depth; ++level) {
      out += indent;
    }
    return out;
  }
};

/// Adds a member behind the others of an object that is `depth` levels in.
std::string appended(std::string text, const Object& object, const std::string& name,
                     const Json& value, const Layout& layout, std::size_t depth) {
  auto member = layout.line_end + layout.levels(depth + 1) + common::jsonString(name) + ": " +
                laidOut(value, layout.indent, depth + 1, layout.line_end);
  if (text.find('\n', object.last_end) > object.close) {
    member += layout.line_end + layout.levels(depth);
  }
  text.insert(object.last_end, member);
  if (!object.members.empty() && !object.trailing_comma) {
    text.insert(object.members.back().value_end, ",");
  }
  return text;
}

/// The text with the member set, and what that did.
Result<Edit> edited(const std::string& text, const std::string& container, const std::string& name,
                    const Json& value, bool force) {
  const auto root = Scanner(text).object(0);
  const Layout layout{.indent = indentOf(text, root),
                      .line_end = text.find("\r\n") == std::string::npos ? "\n" : "\r\n"};
  const auto* const outer = find(root, container);
  if (outer == nullptr) {
    return Edit{Edit::Outcome::kAdded,
                appended(text, root, container, Json::object().set(name, value), layout, 0)};
  }
  if (text[outer->value] != '{') {
    return Error{errc::kInvalidInput, fmt::format("\"{}\" is not an object there", container)};
  }
  const auto inner = Scanner(text).object(outer->value);
  const auto* const there = find(inner, name);
  if (there == nullptr) {
    return Edit{Edit::Outcome::kAdded, appended(text, inner, name, value, layout, 1)};
  }
  const auto current =
      Json::parseRelaxed(text.substr(there->value, there->value_end - there->value));
  if (current && current.value() == value) {
    return Edit{Edit::Outcome::kUnchanged, text};
  }
  if (!force) {
    return Error{errc::kConflict,
                 fmt::format("\"{}\" has another entry \"{}\" already", container, name)};
  }
  auto replaced = text;
  replaced.replace(there->value, there->value_end - there->value,
                   laidOut(value, layout.indent, 2, layout.line_end));
  return Edit{Edit::Outcome::kReplaced, std::move(replaced)};
}

/// Takes a member out, with its line when it stands on one of its own. The last one takes the comma before it along.
std::string without(std::string text, const Object& object, const Member& member) {
  auto end = member.value_end;
  const auto next = text.find_first_not_of(" \t\r\n", end);
  const bool has_comma = next < object.close && text[next] == ',';
  if (has_comma) {
    end = next + 1;
  }
  auto begin = text.find_last_not_of(" \t", member.key - 1) + 1;
  for (const char line_end : {'\n', '\r'}) {
    begin -= begin > 0 && text[begin - 1] == line_end ? 1U : 0U;
  }
  text.erase(begin, end - begin);
  if (!has_comma && object.members.size() > 1 && &member == &object.members.back()) {
    const auto& before = *std::prev(object.members.end(), 2);
    text.erase(text.find(',', before.value_end), 1);
  }
  return text;
}

bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// A file of somebody else.
struct OwnersFile {
  std::string mark;  ///< of the byte order, in front of the text
  std::string text;
  Json json;  ///< an object
};

Result<OwnersFile> readOwnersFile(const std::string& bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  OwnersFile file{.mark = std::string(bytes.starts_with(kByteOrderMark) ? kByteOrderMark : ""),
                  .text = {},
                  .json = Json::object()};
  file.text = bytes.substr(file.mark.size());
  if (isBlank(file.text)) {
    return file;
  }
  auto json = Json::parseRelaxed(file.text);
  if (!json) {
    return Error{errc::kInvalidInput, "it is not JSON: " + json.error().message};
  }
  if (!json.value().isObject()) {
    return Error{errc::kInvalidInput, "it is not a JSON object"};
  }
  file.json = std::move(json).value();
  return file;
}

/// What comes out is what is expected, or nothing is written.
Result<Edit> checked(Result<Edit> edit, const std::string& mark, const Json& expected) {
  if (!edit) {
    return edit;
  }
  const auto after = Json::parseRelaxed(edit.value().text);
  if (!after || !(after.value() == expected)) {
    return Error{errc::kInvalidInput, "it is written in a way that this program cannot change"};
  }
  edit.value().text.insert(0, mark);
  return edit;
}

}  // namespace

Result<Edit> setJsonMember(const std::string& text, const std::string& container,
                           const std::string& name, const Json& value, bool force) {
  const auto read = readOwnersFile(text);
  if (!read) {
    return read.error();
  }
  const auto& file = read.value();
  auto expected = file.json;
  auto members = expected[container].isObject() ? expected[container] : Json::object();
  expected.set(container, members.set(name, value));
  return checked(isBlank(file.text) ? Edit{Edit::Outcome::kAdded, expected.dumpPretty() + "\n"}
                                    : edited(file.text, container, name, value, force),
                 file.mark, expected);
}

Result<Edit> removeJsonMember(const std::string& text, const std::string& container,
                              const std::string& name) {
  const auto read = readOwnersFile(text);
  if (!read) {
    return read.error();
  }
  const auto& file = read.value();
  if (file.json[container].find(name) == nullptr) {
    return Edit{Edit::Outcome::kUnchanged, text};
  }
  auto others = Json::object();
  for (const auto& [other, value] : file.json[container].members()) {
    if (other != name) {
      others.set(other, value);
    }
  }
  auto expected = file.json;
  expected.set(container, std::move(others));
  const auto inner =
      Scanner(file.text).object(find(Scanner(file.text).object(0), container)->value);
  return checked(Edit{Edit::Outcome::kRemoved, without(file.text, inner, *find(inner, name))},
                 file.mark, expected);
}

}  // namespace svc::client
