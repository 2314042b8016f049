#include "mcp_setup/toml_block.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::client {
namespace {

constexpr std::string_view kBegin = "# >>> svc mcp setup";
constexpr std::string_view kEnd = "# <<< svc mcp setup";

using Path = std::vector<std::string>;

/// Something that is defined: a table, or a key with its value.
struct Definition {
  Path path;  ///< from the root
  bool table = false;
  bool list = false;  ///< of tables
  std::size_t line = 1;
  std::size_t begin = 0;  ///< of its first line
  std::size_t end = 0;    ///< behind its last line
};

/// Reads which keys and tables a TOML file defines, as far as that takes to leave it whole.
class TomlScanner {
 public:
  explicit TomlScanner(std::string_view text) : text_(text) {}

  [[nodiscard]] Result<std::vector<Definition>> read() {
    std::vector<Definition> found;
    Path table;
    for (;;) {
      skip(/*newlines=*/true);
      if (atEnd()) {
        return found;
      }
      Definition one;
      one.line = lineOf(at_);
      one.begin = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;
      one.table = peek() == '[';
      const bool good = one.table ? header(one) : key(one.path) && take('=');
      if (!good) {
        return unreadable(one.line);
      }
      if (one.table) {
        table = one.path;
      } else {
        one.path.insert(one.path.begin(), table.begin(), table.end());
        skip(false);
        if (!value()) {
          return unreadable(one.line);
        }
      }
      skip(false);
      if (!atEnd() && peek() != '\n') {
        return unreadable(one.line);
      }
      one.end = std::min(at_ + 1, text_.size());
      found.push_back(std::move(one));
    }
  }

 private:
  [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return atEnd() ? '\0' : text_[at_]; }
  [[nodiscard]] std::size_t lineOf(std::size_t at) const {
    return 1 + static_cast<std::size_t>(std::count(
                   text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  static Error unreadable(std::size_t line) {
    return {errc::kInvalidInput, fmt::format("line {} is not TOML that this program reads", line)};
  }
  bool take(char c) {
    skip(false);
    if (peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }

  void skip(bool newlines) {
    while (!atEnd()) {
      const char c = peek();
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || (newlines && c == '\n')) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool header(Definition& table) {
    ++at_;
    table.list = peek() == '[';
    at_ += table.list ? 1U : 0U;
    return key(table.path) && take(']') && (!table.list || take(']'));
  }

  bool key(Path& path) {
    do {
      skip(false);
      if (peek() == '"' || peek() == '\'') {
        const auto start = at_;
        if (!string()) {
          return false;
        }
        path.emplace_back(text_.substr(start + 1, at_ - start - 2));
        continue;
      }
      const auto end =
          std::min(text_.find_first_not_of(
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", at_),
                   text_.size());
      if (end == at_) {
        return false;
      }
      path.emplace_back(text_.substr(at_, end - at_));
      at_ = end;
    } while (take('.'));
    return true;
  }

  /// One string of any of the four kinds.
  bool string() {
    const char quote = peek();
    const std::string three(3, quote);
    const bool many = text_.substr(at_).starts_with(three);
    at_ += many ? 3 : 1;
    while (!atEnd()) {
      if (quote == '"' && peek() == '\\') {
        at_ += 2;
      } else if (many ? text_.substr(at_).starts_with(three) : peek() == quote) {
        at_ += many ? 3 : 1;
        // Up to two quotes may stand before the closing ones.
        while (many && peek() == quote) {
          ++at_;
        }
        return true;
      } else if (!many && peek() == '\n') {
        return false;
      } else {
        ++at_;
      }
    }
    return false;
  }

  bool value() {
    std::size_t depth = 0;
    const auto start = at_;
    while (!atEnd()) {
      const char c = peek();
      if (c == '"' || c == '\'') {
        if (!string()) {
          return false;
        }
        continue;
      }
      if (c == '#' || c == '\n') {
        if (depth == 0) {
          break;
        }
        skip(true);
        continue;
      }
      if (c == '[' || c == '{') {
        ++depth;
      } else if (c == ']' || c == '}') {
        if (depth == 0) {
          return false;
        }
        --depth;
      }
      ++at_;
    }
    return depth == 0 && !base::trimmed(text_.substr(start, at_ - start)).empty();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// What in the file no table can be added to, whatever else is replaced; nothing when there is nothing.
std::optional<Error> inTheWay(const std::vector<Definition>& definitions,
                              const std::string& container) {
  for (const auto& one : definitions) {
    if (one.path.size() != 1 || one.path[0] != container) {
      continue;
    }
    if (one.list) {
      return Error{errc::kInvalidInput,
                   fmt::format("line {} makes {} a list of tables, which no client reads", one.line,
                               container)};
    }
    if (!one.table) {
      return Error{errc::kInvalidInput,
                   fmt::format("line {} has {} on one line, to which no table can be added",
                               one.line, container)};
    }
  }
  return std::nullopt;
}

/// Some lines: from the start of the first to behind the last.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t line = 1;  ///< the first
};

/// The lines that define `container.name`. A table goes from its header to its last key; what stands between that and the next table stays.
std::vector<Block> linesOf(const std::vector<Definition>& definitions, const std::string& container,
                           const std::string& name) {
  std::vector<Block> found;
  bool within = false;
  for (const auto& one : definitions) {
    const bool wanted = one.path.size() >= 2 && one.path[0] == container && one.path[1] == name;
    if (wanted && within && !one.table) {
      found.back().end = one.end;
    } else if (wanted) {
      found.push_back({one.begin, one.end, one.line});
    }
    within = one.table ? wanted : within;
  }
  return found;
}

void erase(std::string& text, const std::vector<Block>& blocks) {
  std::for_each(blocks.rbegin(), blocks.rend(),
                [&text](const Block& one) { text.erase(one.begin, one.end - one.begin); });
}

Result<std::optional<Block>> findBlock(const std::string& text) {
  const auto lineStart = [&](std::string_view marker, std::size_t from) {
    for (auto at = text.find(marker, from); at != std::string::npos;
         at = text.find(marker, at + 1)) {
      if (at == 0 || text[at - 1] == '\n') {
        return at;
      }
    }
    return std::string::npos;
  };
  const auto begin = lineStart(kBegin, 0);
  const auto end = lineStart(kEnd, begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos && end == std::string::npos) {
    return std::optional<Block>();
  }
  if (begin == std::string::npos || end == std::string::npos ||
      lineStart(kBegin, begin + 1) != std::string::npos) {
    return Error{
        errc::kInvalidInput,
        fmt::format("the comments \"{}\" and \"{}\" do not stand around one block", kBegin, kEnd)};
  }
  const auto line = text.find('\n', end);
  return std::optional(
      Block{.begin = begin, .end = line == std::string::npos ? text.size() : line + 1});
}

}  // namespace

std::string tomlString(const std::string& text) {
  // What JSON escapes, TOML understands.
  return common::jsonString(text);
}

Result<Edit> setTomlTable(const std::string& text, const std::string& container,
                          const std::string& name, const std::vector<std::string>& lines,
                          bool force) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    auto edit = setTomlTable(text.substr(kByteOrderMark.size()), container, name, lines, force);
    if (edit) {
      edit.value().text.insert(0, kByteOrderMark);
    }
    return edit;
  }
  auto block = findBlock(text);
  if (!block) {
    return std::move(block).error();
  }
  const auto& old = block.value();
  auto rest = text;
  if (old) {
    rest.erase(old->begin, old->end - old->begin);
  }
  const auto definitions = TomlScanner(rest).read();
  if (!definitions) {
    return definitions.error();
  }
  if (auto problem = inTheWay(definitions.value(), container)) {
    return *std::move(problem);
  }
  if (const auto by_hand = linesOf(definitions.value(), container, name); !by_hand.empty()) {
    if (!force) {
      return Error{errc::kConflict, fmt::format("line {} has {}.{} already, written by hand",
                                                by_hand.front().line, container, name)};
    }
    erase(rest, by_hand);
    auto edit = setTomlTable(rest, container, name, lines, force);
    if (edit) {
      edit.value().outcome = Edit::Outcome::kReplaced;
    }
    return edit;
  }
  const std::string line_end = text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  auto made = fmt::format("{}{}[{}.{}]{}", kBegin, line_end, container, name, line_end);
  for (const auto& line : lines) {
    made += line + line_end;
  }
  made.append(kEnd).append(line_end);
  if (!old) {
    auto added = text;
    if (!added.empty() && !added.ends_with('\n')) {
      added += line_end;
    }
    added += (added.empty() ? "" : line_end) + made;
    return Edit{Edit::Outcome::kAdded, std::move(added)};
  }
  if (text.substr(old->begin, old->end - old->begin) == made) {
    return Edit{Edit::Outcome::kUnchanged, text};
  }
  if (!force) {
    return Error{errc::kConflict,
                 fmt::format("{} has another entry \"{}\" already", container, name)};
  }
  auto replaced = text;
  replaced.replace(old->begin, old->end - old->begin, made);
  return Edit{Edit::Outcome::kReplaced, std::move(replaced)};
}

Result<Edit> removeTomlTable(const std::string& text, const std::string& container,
                             const std::string& name, bool force) {
  const auto block = findBlock(text);
  if (!block) {
    return block.error();
  }
  auto rest = text;
  if (auto old = block.value()) {
    // The empty line that stands before it was added with it.
    const std::string_view before = std::string_view(text).substr(0, old->begin);
    if (before.ends_with("\n\n")) {
      old->begin -= 1;
    } else if (before.ends_with("\r\n\r\n")) {
      old->begin -= 2;
    }
    rest.erase(old->begin, old->end - old->begin);
  }
  // A byte order mark is no key.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const auto mark = rest.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  auto own = rest.substr(mark);
  const auto definitions = TomlScanner(own).read();
  if (!definitions) {
    return definitions.error();
  }
  const auto by_hand = linesOf(definitions.value(), container, name);
  if (!by_hand.empty() && !force) {
    return Error{errc::kConflict, fmt::format("line {} has {}.{}, written by hand",
                                              by_hand.front().line, container, name)};
  }
  erase(own, by_hand);
  rest.replace(mark, std::string::npos, own);
  return Edit{rest == text ? Edit::Outcome::kUnchanged : Edit::Outcome::kRemoved, std::move(rest)};
}

}  // namespace svc::client
