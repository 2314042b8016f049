#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "svc/common/json.h"

#include "console.h"

namespace svc::client {

struct ThreadView {
  bool thoughts = false;  ///< also what the agent thinks
  bool quiet = false;     ///< nothing at all; JSON is told all the same
};

/// Events of a thread as lines for people; with --json one event a line, as it came.
class ThreadPrinter {
 public:
  ThreadPrinter(const Console& console, ThreadView view) : console_(console), view_(view) {}

  void event(const common::Json& event);
  /// A piece of a text that grows: { itemId, field, offset, text }. What does not fit is left to the end of the item.
  void grown(const common::Json& delta);
  /// Ends a text that is still growing, and shows what is held back, so that something else can be said.
  void breakLine();
  /// The first line of something that has just begun is held back: agents often tell what it is a moment later ("Terminal", then the
  /// command). It is shown with the next that is said; after a moment in which nothing is, showHeld() shows it.
  [[nodiscard]] bool holds() const { return held_.has_value(); }
  void showHeld();

 private:
  using Style = Console::Style;
  void line(Style style, std::string_view text);
  void block(Style style, std::string_view text, std::string_view indent = {});
  void item(const common::Json& item, bool ended);
  void said(const common::Json& item);
  void header(const common::Json& item, bool ended);
  void result(const common::Json& item);
  void changes(const common::Json& item, bool ended);
  void output(std::string_view text);
  void patch(std::string_view diff);
  void request(const common::Json& data);
  void stopAsked(const std::string& reason);
  void provisioning(const common::Json& data);
  void answered(const common::Json& data);
  void turnEnded(const common::Json& data);

  const Console& console_;
  const ThreadView view_;
  /// Of items: the first lines that are there, changes that are, texts that are not whole yet.
  std::map<std::string, std::string> headers_;
  struct Held {
    std::string item_id;
    std::string header;
  };
  std::optional<Held> held_;
  std::set<std::string> begun_;
  std::set<std::string> growable_;
  /// Steps of the environment that were shown.
  std::set<std::string> steps_;
  std::string plan_;
  /// The text that grows, as far as it is shown, and its length as the server counts it (UTF-16).
  std::string growing_;
  std::string shown_;
  std::int64_t units_ = 0;
  bool line_open_ = false;
};

}  // namespace svc::client
