#include "cli/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "svc/base/text.h"

#include "text.h"

namespace svc::client {
namespace {

/// Lines that are longer are hard to read, and shorter ones have no room for a word beside its meaning.
constexpr std::size_t kWidest = 100;
constexpr std::size_t kNarrowest = 30;
constexpr std::size_t kPlainWidth = 80;
/// What stands before its meaning in the same line; longer ones have a line of their own.
constexpr std::size_t kWidestTerm = 24;

struct Entry {
  std::string term;
  std::string meaning;
};

class HelpPage {
 public:
  explicit HelpPage(std::size_t columns)
      : width_(std::clamp(columns == 0 ? kPlainWidth : columns, kNarrowest, kWidest)) {}

  void paragraph(std::string_view text) { text_ += wrapped(text, width_, 0) + "\n"; }
  void blank() { text_ += "\n"; }

  /// Terms and their meanings in two columns, or below each other where there is no room for two.
  void list(std::string_view title, const std::vector<Entry>& entries) {
    if (entries.empty()) {
      return;
    }
    blank();
    paragraph(title);
    std::size_t widest = 0;
    for (const auto& entry : entries) {
      widest = std::max(widest, displayWidth(entry.term));
    }
    const auto indent = std::min({widest, kWidestTerm, width_ / 3}) + 4;
    for (const auto& [term, meaning] : entries) {
      auto line = "  " + term;
      const auto used = displayWidth(line);
      const bool fits = used + 2 <= indent;
      line += fits ? std::string(indent - used, ' ') : "\n" + std::string(indent, ' ');
      text_ += line + wrapped(meaning, width_, indent) + "\n";
    }
  }

  /// Paragraphs are wrapped; lines that begin with blanks are lines to type and stay.
  void notes(std::string_view notes) {
    std::string paragraph_text;
    const auto flush = [&] {
      if (!paragraph_text.empty()) {
        paragraph(std::exchange(paragraph_text, {}));
      }
    };
    for (std::size_t start = 0; start <= notes.size();) {
      const auto end = std::min(notes.find('\n', start), notes.size());
      const auto line = notes.substr(start, end - start);
      if (line.empty() || line.starts_with("  ")) {
        flush();
        text_.append(line).append("\n");
      } else {
        paragraph_text += (paragraph_text.empty() ? "" : " ") + std::string(line);
      }
      start = end + 1;
    }
    flush();
  }

  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::size_t width_;
  std::string text_;
};

std::string formsOf(const OptionInfo& option) {
  // The short form first, as people look for it.
  std::vector<std::string> names(option.names.rbegin(), option.names.rend());
  std::string text;
  for (const auto& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return option.value.empty() ? text : text + " " + option.value;
}

/// Commands below their headings, in the order in which the headings come first.
void listCommands(HelpPage& page, const CommandInfo& command) {
  std::vector<std::string> headings;
  for (const auto& below : command.commands) {
    if (std::find(headings.begin(), headings.end(), below.heading) == headings.end()) {
      headings.push_back(below.heading);
    }
  }
  for (const auto& heading : headings) {
    std::vector<Entry> entries;
    for (const auto& below : command.commands) {
      if (below.heading == heading) {
        entries.push_back({below.name, below.help});
      }
    }
    page.list((heading.empty() ? "Commands" : heading) + ":", entries);
  }
}

}  // namespace

std::string helpText(const CommandInfo& command, std::size_t columns) {
  HelpPage page(columns);
  page.paragraph(command.help + (command.help.ends_with('.') ? "" : "."));
  page.blank();
  page.paragraph("Usage: " + command.synopsis());
  std::vector<Entry> arguments;
  std::vector<Entry> options;
  for (const auto& option : command.options) {
    auto& list = option.positional ? arguments : options;
    list.push_back(
        {option.positional ? "<" + option.names.front() + ">" : formsOf(option), option.help});
  }
  page.list("Arguments:", arguments);
  listCommands(page, command);
  page.list("Options:", options);
  if (const auto notes = base::trimmed(command.notes, "\n"); !notes.empty()) {
    page.blank();
    page.notes(notes);
  }
  const bool is_root = command.line == command.name;
  if (!is_root) {
    page.blank();
    page.paragraph(
        command.commands.empty()
            ? "`svc --help` has the options of every command. `svc manual cli` is the manual."
            : "`" + command.line + " <command> --help` says more about each.");
  }
  return std::move(page).take();
}

}  // namespace svc::client
