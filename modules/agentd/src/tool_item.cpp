#include "tool_item.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/shown_text.h"
#include "svc/hostprotocol/agent_limits.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "content_block.h"
#include "file_changes.h"
#include "server_tool.h"
#include "write_scope.h"

namespace svc::agentd {
namespace {

using common::Json;

std::string_view statusOf(std::string_view status) {
  return status == "completed" ? item_status::kCompleted
         : status == "failed"  ? item_status::kFailed
                               : item_status::kPending;
}

/// Agents write "`ls -l`".
std::string withoutTicks(std::string_view text) {
  if (text.size() > 2 && text.front() == '`' && text.back() == '`') {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

/// As a shell takes it for one word: what runs is shown, not something that looks alike.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string out = "'";
  for (const char c : word) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

/// A command is a text, or the words of one; what is neither stands there as JSON: two commands that differ in it differ.
std::string wordsOf(const Json& said) {
  if (!said.isArray()) {
    return said.isString() || said.isNull() ? said.asString() : said.dump();
  }
  std::string words;
  for (const auto& word : said.items()) {
    words += (words.empty() ? "" : " ") + quoted(word.isString() ? word.asString() : word.dump());
  }
  return words;
}

/// What a command stands in.
constexpr std::array<const char*, 3> kCommandKeys{"command", "cmd", "script"};

/// What will run. Of an agent that says it in a form of its own that is the whole of what it says: a title alone may be that of
/// anything, and whoever allows it always allows what is shown.
BoundedText commandOf(const ToolCall& call) {
  const auto& input = call.raw_input;
  std::string command;
  for (const auto* key : kCommandKeys) {
    const auto& said = input[key];
    command = command.empty() && (said.isString() || said.isArray()) ? wordsOf(said) : command;
  }
  if (!command.empty()) {
    const auto arguments = wordsOf(input["args"]);
    return BoundedText(arguments.empty() ? command : command + " " + arguments);
  }
  const auto title = withoutTicks(call.title);
  const bool says_more = input.isObject() ? !input.members().empty() : !input.isNull();
  return BoundedText(says_more ? title + "\n" + input.dump() : title);
}

/// What is no name, because it is cut, would be that of other tools, too: they would be allowed with this one.
std::string wholeName(const std::string& name) {
  return name.size() <= limits::kAgentName ? name : std::string(kUnnamedTool);
}

/// Some put the arguments into the title.
bool isWords(const std::string& title) {
  return !title.empty() && title.front() != '{' && title.front() != '[';
}

/// Arguments are no name for the same reason.
std::string nameOf(const ToolCall& call) {
  if (!call.name.empty()) {
    return wholeName(call.name);
  }
  return isWords(call.title) ? wholeName(call.title) : std::string(kUnnamedTool);
}

/// What an agent says of a call beside the name of its tool, which stays what is allowed. Empty when that is all.
std::string labelOf(const ToolCall& call) {
  return call.name.empty() || call.title == call.name || !isWords(call.title)
             ? std::string()
             : common::shownOnOneLine(headOf(call.title, limits::kAgentName));
}

std::string typeOf(const ToolCall& call) {
  if (serverTool(call)) {
    return "toolCall";
  }
  if (call.kind == "execute") {
    return "commandExecution";
  }
  if ((call.kind == "edit" || call.kind == "delete" || call.kind == "move") &&
      (hasDiff(call) || !pathOf(call).empty())) {
    return "fileChange";
  }
  if (call.kind == "search" && !call.raw_input["query"].asString().empty()) {
    return "webSearch";
  }
  if (call.kind == "fetch" && !call.raw_input["url"].asString().empty()) {
    return "webFetch";
  }
  return "toolCall";
}

/// Of a value with all that is in it.
std::size_t weightOf(const Json& value) {
  auto bytes = sizeof(Json) + value.asString().size();
  for (const auto& [name, member] : value.members()) {
    bytes += name.size() + weightOf(member);
  }
  for (const auto& each : value.items()) {
    bytes += weightOf(each);
  }
  return bytes;
}

/// Puts texts into an item, and beside them what is left of those that are cut.
class ItemTexts {
 public:
  ItemTexts(Json& item, const ToolCall& call) : item_(item), cut_ms_(call.cut_ms) {}

  void set(const std::string& member, const BoundedText& text) {
    item_.set(member, text.text());
    note(member, text);
  }

  /// As it is, or the text of what is too large.
  void setJson(const std::string& member, const Json& value) {
    const BoundedText text(value.isString() ? value.asString() : value.dump());
    item_.set(member, value.isString() || text.isCut() ? Json(text.text()) : value);
    note(member, text);
  }

  void note(const std::string& member, const BoundedText& text) {
    if (text.isCut()) {
      auto notes = item_["truncation"].isNull() ? Json::object() : item_["truncation"];
      item_.set("truncation", notes.set(member, text.truncation(cut_ms_)));
    }
  }

 private:
  Json& item_;
  std::int64_t cut_ms_;
};

void addBlock(BoundedText& text, const Json& block) {
  const auto part = blockText(block);
  if (!part.empty()) {
    text.append((text.empty() ? "" : "\n") + part);
  }
}

/// What an agent shows of it, else what the tool of an MCP server has answered.
BoundedText contentText(const ToolCall& call) {
  BoundedText text;
  for (const auto& each : call.content.items()) {
    if (each["type"].asString() == "content") {
      addBlock(text, each["content"]);
    }
  }
  if (text.empty() && serverTool(call)) {
    for (const auto& block : call.raw_output["result"]["content"].items()) {
      addBlock(text, block);
    }
  }
  return text;
}

void addPictures(std::vector<std::string>& paths, const Json& value) {
  if (value["type"].asString() == "image" && value["path"].isString()) {
    paths.push_back(value["path"].asString());
  }
  for (const auto& [name, member] : value.members()) {
    addPictures(paths, member);
  }
  for (const auto& each : value.items()) {
    addPictures(paths, each);
  }
}

BoundedText outputOf(const ToolCall& call) {
  if (call.is_terminal) {
    return call.printed;
  }
  if (auto text = contentText(call); !text.empty()) {
    return text;
  }
  return BoundedText(call.raw_output.isString()
                         ? call.raw_output.asString()
                         : firstText(call.raw_output, {"formatted_output", "aggregated_output",
                                                       "output", "stdout", "error"}));
}

const Json& argumentsOf(const ToolCall& call) {
  const auto& inner = call.raw_input["arguments"];
  return inner.isObject() && !firstText(call.raw_input, {"tool", "name"}).empty() ? inner
                                                                                  : call.raw_input;
}

void addResult(Json& item, const ToolCall& call) {
  const auto output = outputOf(call);
  ItemTexts texts(item, call);
  if (call.status == item_status::kFailed) {
    texts.set("error", output.empty() ? BoundedText("the tool failed") : output);
  } else if (!output.empty()) {
    texts.set("result", output);
  } else if (!call.raw_output.isNull()) {
    texts.setJson("result", call.raw_output);
  }
}

}  // namespace

void ToolCall::apply(const Json& update) {
  const auto text = [&update](std::string& into, std::string_view key) {
    if (const auto* value = update.find(key); value != nullptr && value->isString()) {
      into = value->asString();
    }
  };
  const auto json = [&update](Json& into, std::string_view key) {
    if (const auto* value = update.find(key); value != nullptr && !value->isNull()) {
      into = *value;
    }
  };
  text(title, "title");
  text(name, "name");
  applyExtensions(update["_meta"]);
  text(kind, "kind");
  kind = headOf(kind, limits::kAgentName);
  json(content, "content");
  json(locations, "locations");
  json(raw_input, "rawInput");
  json(raw_output, "rawOutput");
  if (update["status"].isString()) {
    status = statusOf(update["status"].asString());
  }
}

std::size_t ToolCall::weight() const {
  auto bytes = title.size() + name.size();
  for (const auto* part : {&content, &asked_diffs, &locations, &raw_input, &raw_output}) {
    bytes += weightOf(*part);
  }
  return bytes;
}

void ToolCall::asked() {
  asked_diffs = Json::array();
  for (const auto& each : content.items()) {
    if (each["type"].asString() == "diff") {
      asked_diffs.push(each);
    }
  }
}

void ToolCall::applyExtensions(const Json& meta) {
  // Some put into the title what they show to a person, and the name of the tool beside it.
  for (const auto* told : {&meta["toolName"], &meta["claudeCode"]["toolName"]}) {
    if (told->isString() && name.empty()) {
      name = told->asString();
    }
  }
  for (const auto* key : {"terminal_output_delta", "terminal_output"}) {
    if (meta[key]["data"].isString()) {
      printed.append(meta[key]["data"].asString());
      is_terminal = true;
    }
  }
  if (const auto& exit = meta["terminal_exit"]; exit.isObject()) {
    is_terminal = true;
    exit_code = exit["exit_code"].isInteger() ? exit["exit_code"] : Json();
  }
}

Json toolItem(const ToolCall& call, const std::string& cwd) {
  const auto type = typeOf(call);
  auto item = Json::object().set("id", call.item_id).set("type", type);
  const auto& input = call.raw_input;
  const auto approval = call.approval.empty() ? Json() : Json(call.approval);
  ItemTexts texts(item, call);
  if (type == "commandExecution") {
    const auto where = firstText(input, {"cwd", "workdir", "directory"});
    texts.set("command", commandOf(call));
    item.set("cwd", where.empty() ? cwd : headOf(where, limits::kAgentPath));
    item.set("status", call.status).set("approvalStatus", approval);
  } else if (type == "fileChange") {
    const auto diff = [&texts](std::size_t at, const BoundedText& text) {
      texts.note(fmt::format("changes.{}.diff", at), text);
    };
    item.set("changes", changesOf(call, diff));
    item.set("status", call.status).set("approvalStatus", approval);
  } else if (type == "webSearch") {
    const BoundedText query(input["query"].asString());
    item.set("queries", Json::Array{Json(query.text())}).set("resultText", nullptr);
    texts.note("queries", query);
  } else if (type == "webFetch") {
    item.set("url", headOf(input["url"].asString(), limits::kAgentPath));
    for (const auto* member : {"prompt", "pattern"}) {
      texts.setJson(member, input[member].isString() ? input[member] : Json());
    }
    item.set("resultText", nullptr);
  } else {
    if (const auto of_server = serverTool(call)) {
      item.set("tool", wholeName(of_server->tool))
          .set("server", headOf(of_server->server, limits::kAgentName));
    } else {
      item.set("tool", nameOf(call));
      if (auto label = labelOf(call); !label.empty()) {
        item.set("statusLabels",
                 Json::object().set("pending", label).set("completed", std::move(label)));
      }
    }
    if (!argumentsOf(call).isNull()) {
      texts.setJson("arguments", argumentsOf(call));
    }
    item.set("status", call.status);
  }
  // Of the web only what went wrong is told: these items have no other state.
  if ((type == "webSearch" || type == "webFetch") && call.ended() &&
      call.status != item_status::kCompleted) {
    item.set("status", call.status);
  }
  return item;
}

std::vector<std::string> picturesOf(const ToolCall& call) {
  std::vector<std::string> paths;
  addPictures(paths, call.content);
  addPictures(paths, call.raw_output);
  return paths;
}

std::string toolOutput(const ToolCall& call) { return outputOf(call).text(); }

Json wholeToolItem(const ToolCall& call, const std::string& cwd) {
  auto item = toolItem(call, cwd);
  const auto type = item["type"].asString();  // a copy: what is added below moves the members
  ItemTexts texts(item, call);
  if (type == "commandExecution") {
    if (const auto output = outputOf(call); !output.empty()) {
      texts.set("aggregatedOutput", output);
    }
    for (const auto* code :
         {&call.exit_code, &call.raw_output["exitCode"], &call.raw_output["exit_code"]}) {
      if (code->isInteger()) {
        item.set("exitCode", *code);
        break;
      }
    }
  } else if (type == "webSearch" || type == "webFetch") {
    if (const auto output = outputOf(call); !output.empty()) {
      texts.set("resultText", output);
    }
  } else if (type == "toolCall" && call.ended()) {
    addResult(item, call);
  }
  if ((type == "commandExecution" || type == "toolCall") && call.ended_ms > 0) {
    item.set("durationMs", std::max<std::int64_t>(call.ended_ms - call.started_ms, 0));
  }
  return item;
}

namespace {

/// The `command` of an editor is a word: "str_replace".
bool isVerb(std::string_view said) {
  return std::all_of(said.begin(), said.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

/// Whether an edit brings a command line along.
bool runsCommand(const ToolCall& call) {
  return std::any_of(kCommandKeys.begin(), kCommandKeys.end(), [&](std::string_view key) {
    const auto& said = call.raw_input[key];
    return !said.items().empty() ||
           (key == "command" ? !isVerb(said.asString()) : !said.asString().empty());
  });
}

}  // namespace

Json approvalSubject(const ToolCall& call, const std::string& cwd) {
  const auto item = toolItem(call, cwd);
  const auto& type = item["type"].asString();
  auto subject = Json::object();
  if (type == "commandExecution" || (type == "fileChange" && runsCommand(call))) {
    return subject.set("kind", "command")
        .set("itemId", call.item_id)
        .set("command", commandOf(call).text())
        .set("cwd", item["cwd"].isString() ? item["cwd"] : Json(cwd))
        .set("actions", Json::array())
        .set("sessionGrant", nullptr);
  }
  if (type == "fileChange") {
    return subject.set("kind", "file_change")
        .set("itemId", call.item_id)
        .set("writeScope",
             writeScope(
                 pathsOf(call), cwd,
                 call.kind == "delete" || call.kind == "move" ? Change::kRemoves : Change::kWrites))
        .set("sessionGrant", nullptr);
  }
  const auto of_server = serverTool(call);
  return subject.set("kind", "tool_use")
      .set("itemId", call.item_id)
      .set("toolName", of_server            ? wholeName(of_server->server + "/" + of_server->tool)
                       : type == "toolCall" ? item["tool"].asString()
                                            : type)
      .set("title", clipped(of_server ? of_server->server + ": " + of_server->tool : call.title));
}

}  // namespace svc::agentd
