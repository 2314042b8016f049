#include "threads/thread_printer.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "svc/common/surrogates.h"

#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using Style = Console::Style;

/// Lines of output and of patches that are shown; the rest is counted.
constexpr std::size_t kOutputLines = 12;
constexpr std::size_t kPatchLines = 200;
/// Characters of arguments on one line.
constexpr std::size_t kArguments = 120;

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// At most so many bytes, not cut inside a character.
std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
    --most;
  }
  return text.substr(0, most) + "…";
}

std::string textOf(const Json& blocks) {
  std::string out;
  for (const auto& block : blocks.items()) {
    const auto& text = block["text"].asString();
    const auto& url = block["url"].asString();
    // A picture may be its own address.
    const std::string path = !block["path"].asString().empty() ? block["path"].asString()
                             : url.starts_with("data:")        ? "picture"
                                                               : url;
    out += (out.empty() ? "" : "\n") + (text.empty() ? "[" + path + "]" : text);
  }
  return out;
}

std::string argumentsOf(const Json& item) {
  const auto& arguments = item["arguments"];
  const bool none = arguments.isNull() || (arguments.isObject() && arguments.members().empty());
  return none ? std::string() : " " + shortened(arguments.dump(), kArguments);
}

std::string joined(const Json& texts, const char* separator) {
  std::string out;
  for (const auto& text : texts.items()) {
    out += (out.empty() ? "" : separator) + text.asString();
  }
  return out;
}

/// The first line of what an agent does; empty for what has none.
std::string headerOf(const Json& item) {
  const std::string_view type = item["type"].asString();
  if (type == "commandExecution") {
    return "$ " + item["command"].asString();
  }
  if (type == "toolCall") {
    const auto& server = item["server"].asString();
    const auto arguments = argumentsOf(item);
    const auto& label = item["statusLabels"]["completed"].asString();
    return fmt::format("* {}{}{}", server.empty() ? "" : server + ": ", item["tool"].asString(),
                       !arguments.empty() || label.empty() ? arguments : ": " + label);
  }
  if (type == "webSearch") {
    return "* search: " + joined(item["queries"], ", ");
  }
  if (type == "webFetch") {
    return "* fetch: " + item["url"].asString();
  }
  if (type == "imageView") {
    return "* look at: " + item["path"].asString();
  }
  return type == "backgroundTask" ? "* in the background: " + item["description"].asString()
                                  : std::string();
}

/// How it ended other than well, as a word: a colour is not there in a file. Empty for what went well.
std::string_view endOf(const Json& item) {
  const std::string_view status = item["status"].asString();
  if (status != "failed" && status != "interrupted") {
    return {};
  }
  return item["approvalStatus"].asString() == "denied" ? "denied" : status;
}

}  // namespace

void ThreadPrinter::line(Style style, std::string_view text) {
  breakLine();
  console_.out << console_.paint(style, oneLine(text)) << '\n';
}

void ThreadPrinter::block(Style style, std::string_view text, std::string_view indent) {
  breakLine();
  for (const auto each : linesOf(text)) {
    console_.out << console_.paint(style, std::string(indent) + manyLines(each)) << '\n';
  }
}

void ThreadPrinter::breakLine() {
  if (std::exchange(line_open_, false)) {
    console_.out << '\n';
  }
  showHeld();
}

void ThreadPrinter::showHeld() {
  if (const auto held = std::exchange(held_, std::nullopt)) {
    headers_[held->item_id] = held->header;
    block(Style::kPlain, held->header);
    console_.out << std::flush;
  }
}

void ThreadPrinter::event(const Json& event) {
  if (console_.json) {
    console_.showJson(event.dump());
    return;
  }
  if (view_.quiet) {
    return;
  }
  const std::string_view type = event["type"].asString();
  const auto& data = event["data"];
  if (type == "client/turn/requested") {
    request(data);
  } else if (type == "client/turn/rejected") {
    block(Style::kBad, "not started: " + data["message"].asString());
  } else if (type == "turn/completed") {
    turnEnded(data);
  } else if (type == "item/started" || type == "item/completed") {
    item(data["item"], type == "item/completed");
  } else if (type == "item/backgroundTask/completed") {
    line(Style::kDim,
         fmt::format("* in the background: {}, {}", data["item"]["description"].asString(),
                     data["item"]["taskStatus"].asString()));
  } else if (type == "turn/plan/updated") {
    std::string plan;
    for (const auto& step : data["plan"].items()) {
      const std::string_view status = step["status"].asString();
      plan += fmt::format("  [{}] {}\n",
                          status == "completed" ? "x"
                          : status == "active"  ? "~"
                          : status == "failed"  ? "!"
                                                : " ",
                          oneLine(step["step"].asString()));
    }
    if (plan != plan_) {
      plan_ = plan;
      block(Style::kDim, "plan:\n" + plan);
    }
  } else if (type == "provider/error" || type == "system/error") {
    block(Style::kBad, "error: " + data["message"].asString() +
                           (data["willRetry"].asBool() ? " (the agent tries again)" : ""));
  } else if (type == "provider/warning") {
    const auto& summary = data["summary"].asString();
    const auto& details = data["details"].asString();
    line(Style::kDim,
         "warning: " + summary + (summary.empty() || details.empty() ? "" : ": ") + details);
  } else if (type == "provider/modelFallback" || type == "system/operation") {
    line(Style::kDim, data["message"].asString());
  } else if (type == "system/thread-provisioning") {
    provisioning(data);
  } else if (type.starts_with("system/") && type.ends_with("/lifecycle")) {
    answered(data);
  } else if (type == "system/thread/interrupted") {
    stopAsked(data["reason"].asString());
  } else if (type == "thread/name/updated") {
    line(Style::kDim, "title: " + data["threadName"].asString());
  } else if (type == "thread/identity") {
    // An agent that could not go on where it was does not know what was said.
    if (const auto& message = data["message"].asString(); !message.empty()) {
      line(Style::kBad, message);
    }
  } else if (type == "thread/compacted") {
    line(Style::kDim, "what was said before is compacted");
  }
  console_.out << std::flush;
}

void ThreadPrinter::request(const Json& data) {
  const auto& sender = data["senderThreadId"].asString();
  block(Style::kDim, textOf(data["input"]), sender.empty() ? "> " : sender + "> ");
}

void ThreadPrinter::turnEnded(const Json& data) {
  if (!data["parentToolCallId"].isNull()) {
    return;
  }
  const auto& status = data["status"].asString();
  const auto& message = data["error"]["message"].asString();
  block(status == "completed" ? Style::kGood : Style::kBad,
        "-- " + status + (message.empty() ? "" : ": " + message));
}

/// Where nobody has asked for it the end of the turn comes with it, and says why in words.
void ThreadPrinter::stopAsked(const std::string& reason) {
  if (reason == "manual-stop" || reason == "thread-archived") {
    line(Style::kDim, reason == "manual-stop" ? "stop asked for" : "archived: the turn is stopped");
  }
}

void ThreadPrinter::provisioning(const Json& data) {
  for (const auto& entry : data["entries"].items()) {
    const auto& text = entry["text"].asString();
    if (steps_
            .insert(data["provisioningId"].asString() + "\n" + entry["key"].asString() + "\n" +
                    text)
            .second) {
      block(Style::kDim, text, "· ");
    }
  }
}

void ThreadPrinter::answered(const Json& data) {
  const std::string_view status = data["status"].asString();
  if (status == "interrupted") {
    line(Style::kDim, "no longer asked: " + data["statusReason"].asString());
  } else if (status == "resolved" && !data["resolution"]["decision"].isNull()) {
    const bool denied = data["resolution"]["decision"].asString() == "deny";
    line(denied ? Style::kBad : Style::kGood, denied ? "denied" : "allowed");
  }
}

void ThreadPrinter::item(const Json& item, bool ended) {
  const std::string_view type = item["type"].asString();
  if (type == "agentMessage" || type == "plan") {
    if (ended) {
      said(item);
    } else {
      growable_.insert(item["id"].asString());
    }
  } else if (type == "reasoning") {
    if (ended && view_.thoughts) {
      block(Style::kDim,
            joined(item["summary"].items().empty() ? item["content"] : item["summary"], "\n"));
    }
  } else if (type == "fileChange") {
    changes(item, ended);
  } else if (!headerOf(item).empty()) {
    header(item, ended);
    if (ended) {
      result(item);
    }
  }
}

void ThreadPrinter::header(const Json& item, bool ended) {
  const auto& id = item["id"].asString();
  auto now = headerOf(item);
  auto& shown = headers_[id];
  if (shown == now) {
    return;
  }
  const bool is_held = held_ && held_->item_id == id;
  if (is_held) {
    held_.reset();
  } else if (shown.empty() && !ended) {
    showHeld();
    held_ = Held{id, std::move(now)};
    return;
  }
  block(Style::kPlain, now);
  shown = std::move(now);
}

void ThreadPrinter::result(const Json& item) {
  output(item["aggregatedOutput"].asString());
  if (item["type"].asString() == "toolCall") {
    output(item["result"].asString());
  }
  const auto& error =
      item["error"].isObject() ? item["error"]["message"].asString() : item["error"].asString();
  const auto code = item["exitCode"].asInteger();
  std::string end(endOf(item));
  if (code != 0 && end == "failed") {
    end.clear();  // the code says so
  }
  block(Style::kBad, end + (end.empty() || error.empty() ? "" : ": ") + error, "  ");
  if (code != 0) {
    line(Style::kBad, fmt::format("  exit code {}", code));
  }
}

void ThreadPrinter::output(std::string_view text) {
  auto lines = linesOf(text);
  if (lines.size() > kOutputLines) {
    const auto left_off = lines.size() - kOutputLines;
    line(Style::kDim, fmt::format("  … {} lines", left_off));
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(left_off));
  }
  for (const auto each : lines) {
    block(Style::kDim, each, "  ");
  }
}

void ThreadPrinter::changes(const Json& item, bool ended) {
  const std::string_view status = item["status"].asString();
  const auto end = endOf(item);
  // Whoever is asked sees what about; otherwise a change is told when it is made.
  const bool asks = !ended && item["approvalStatus"].asString() == "waiting_for_approval";
  if (!asks && !ended) {
    return;
  }
  const char* const note = asks                    ? " (asks)"
                           : status == "completed" ? ""
                           : end == "denied"       ? " (denied)"
                           : end == "interrupted"  ? " (interrupted)"
                                                   : " (not changed)";
  const bool known = !begun_.insert(item["id"].asString()).second;
  for (const auto& change : item["changes"].items()) {
    const std::string_view kind = change["kind"].asString();
    const auto& moved = change["movePath"].asString();
    line(ended && status != "completed" ? Style::kBad : Style::kPlain,
         fmt::format("{} {}{}{}",
                     kind == "add"      ? "A"
                     : kind == "delete" ? "D"
                                        : "M",
                     change["path"].asString(), moved.empty() ? "" : " → " + moved, note));
    if (!known) {
      patch(change["diff"].asString());
    }
  }
}

void ThreadPrinter::patch(std::string_view diff) {
  const auto lines = linesOf(diff);
  for (std::size_t i = 0; i < std::min(lines.size(), kPatchLines); ++i) {
    const auto each = lines[i];
    const bool name = each.starts_with("+++") || each.starts_with("---");
    block(name                     ? Style::kDim
          : each.starts_with("+")  ? Style::kGood
          : each.starts_with("-")  ? Style::kBad
          : each.starts_with("@@") ? Style::kDim
                                   : Style::kPlain,
          each.empty() ? " " : each, "  ");
  }
  if (lines.size() > kPatchLines) {
    line(Style::kDim, fmt::format("  … {} more lines", lines.size() - kPatchLines));
  }
}

void ThreadPrinter::grown(const Json& delta) {
  const auto& text = delta["text"].asString();
  const auto& id = delta["itemId"].asString();
  // Pieces may come with, and behind, the events that end their item, also those of an earlier turn.
  if (view_.quiet || console_.json || delta["field"].asString() != "text" || text.empty() ||
      !growable_.contains(id)) {
    return;
  }
  const auto offset = delta["offset"].asInteger();
  if (id != growing_) {
    if (offset != 0) {
      return;
    }
    breakLine();
    growing_ = id;
    shown_.clear();
    units_ = 0;
  }
  // Something else has been said meanwhile, or a piece is missing: the end of the item tells the rest.
  if (offset != units_ || (!shown_.empty() && !line_open_)) {
    return;
  }
  console_.out << manyLines(text) << std::flush;
  shown_ += text;
  units_ += common::utf16Length(text);
  line_open_ = true;
}

void ThreadPrinter::said(const Json& item) {
  std::string_view text = item["text"].asString();
  growable_.erase(item["id"].asString());
  if (item["id"].asString() == growing_) {
    growing_.clear();
    if (text.starts_with(shown_)) {
      text.remove_prefix(shown_.size());
      console_.out << manyLines(text);
      line_open_ = true;
      return breakLine();
    }
  }
  block(Style::kPlain, text);
}

}  // namespace svc::client
