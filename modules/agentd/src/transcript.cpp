#include "transcript.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

#include "agent_bounds.h"
#include "content_block.h"

namespace svc::agentd {
namespace {

using common::Json;

namespace event = hostprotocol::agent_event;

std::string_view planStatus(std::string_view status) {
  return status == "in_progress" ? "active" : status == "completed" ? "completed" : "pending";
}

/// How the first prompt of a session begins when the service has something to say first.
constexpr std::string_view kInstructions = "<instructions>";

/// The first characters of a title, whole ones.
std::string shortTitle(const std::string& text) {
  constexpr std::size_t kTitle = 200;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    constexpr unsigned kMask = 0xC0;
    constexpr unsigned kContinuation = 0x80;
    if ((static_cast<unsigned char>(text[at]) & kMask) != kContinuation && ++characters > kTitle) {
      return text.substr(0, at);
    }
  }
  return text;
}

}  // namespace

void Transcript::emit(std::string_view type, const std::string& turn_id, Json data) {
  sink_({.type = std::string(type), .turn_id = turn_id, .data = std::move(data)});
}

std::string Transcript::nextId() { return fmt::format("{}.{}", prefix_, ++count_); }

void Transcript::turnStarted(std::string turn_id, std::int64_t now_ms) {
  endText(now_ms);
  runs_ = true;
  turn_id_ = std::move(turn_id);
}

void Transcript::turnEnded(std::int64_t now_ms) {
  endText(now_ms);
  runs_ = false;
  for (auto& tool : tools_) {
    if (!tool.call.ended()) {
      // What was denied is not waited for, and some agents never tell its end.
      endTool(tool,
              tool.call.approval == "denied" ? item_status::kFailed : item_status::kInterrupted,
              now_ms);
    }
  }
}

void Transcript::update(const Json& update, std::int64_t now_ms, std::string_view cut_text) {
  const auto& kind = update["sessionUpdate"].asString();
  if (kind == "agent_message_chunk" || kind == "agent_thought_chunk") {
    chunk(update, kind == "agent_thought_chunk", cut_text, now_ms);
  } else if (kind == "tool_call" || kind == "tool_call_update") {
    auto& tool = toolOf(update, now_ms);
    const auto before = tool.call.status;
    tool.call.apply(update);
    weigh(tool);
    if (!runs_ && before != item_status::kPending && !tool.call.ended()) {
      tool.call.status = before;  // nothing begins without a turn
    }
    tell(tool, now_ms);
  } else if (kind == "plan") {
    plan(update);
  } else if (kind == "usage_update") {
    usage(update);
  } else if (kind == "session_info_update") {
    title(update);
  } else if (kind == "notice") {
    notice(update);
  } else if (kind == "compaction_update" && update["status"].asString() == "completed") {
    emit(event::kCompacted, turn_id_, Json::object());
  }
}

void Transcript::chunk(const Json& update, bool is_thought, std::string_view cut_text,
                       std::int64_t now_ms) {
  auto text = blockText(update["content"]);
  if (!update["content"]["path"].isNull()) {
    text = "\n\n" + text + "\n\n";  // a picture is a paragraph
  }
  const auto& message_id = update["messageId"].asString();
  // Before its first turn an agent greets nobody.
  if (text.empty() || turn_id_.empty()) {
    return;
  }
  const bool goes_on = text_ && text_->is_thought == is_thought && text_->turn_id == turn_id_ &&
                       (message_id.empty() || text_->message_id == message_id);
  if (!goes_on) {
    endText(now_ms);
    text_ = OpenText{.item_id = nextId(),
                     .turn_id = turn_id_,
                     .message_id = message_id,
                     .is_thought = is_thought};
    emit(event::kItemStarted, turn_id_, Json::object().set("item", textItem(*text_, now_ms)));
  }
  if (!cut_text.empty() || text_->cut.waits()) {
    text = text_->cut.add(cut_text.empty() ? common::jsonString(text) : std::string(cut_text));
    if (text.empty()) {
      return;
    }
  }
  emit(event::kItemDelta, turn_id_,
       Json::object()
           .set("itemId", text_->item_id)
           .set("field", is_thought ? "reasoning" : "text")
           .set("offset", text_->text.length())
           .set("text", text));
  text_->text.append(text);
  if (!runs_) {
    tellLate(now_ms);
  }
}

/// What is said behind a turn has no end that is heard: it is told whole with each piece, so that none of it is lost.
void Transcript::tellLate(std::int64_t now_ms) {
  auto item = textItem(*text_, now_ms);
  text_->retold += item.dump().size();
  if (text_->retold <= limits::kAgentRetold) {
    text_->told_length = text_->text.length();
    emit(event::kItemCompleted, text_->turn_id, Json::object().set("item", std::move(item)));
  }
}

Json Transcript::textItem(const OpenText& open, std::int64_t now_ms) {
  auto item = Json::object().set("id", open.item_id);
  if (open.is_thought) {
    auto content = Json::array();
    if (!open.text.empty()) {
      content.push(open.text.text());
    }
    item.set("type", "reasoning").set("summary", Json::array()).set("content", std::move(content));
  } else {
    item.set("type", "agentMessage").set("text", open.text.text());
  }
  if (auto truncation = open.text.truncation(now_ms); !truncation.isNull()) {
    item.set("truncation", Json::object().set(open.is_thought ? "content" : "text", truncation));
  }
  return item;
}

void Transcript::endText(std::int64_t now_ms) {
  auto open = std::exchange(text_, std::nullopt);
  if (!open) {
    return;
  }
  open->text.append(open->cut.end());
  if (!open->isTold()) {
    emit(event::kItemCompleted, open->turn_id, Json::object().set("item", textItem(*open, now_ms)));
  }
}

/// What has ended in an earlier turn stays as it has ended, and its id is another call's from now on. Only the end of what was
/// interrupted with its turn may still come.
bool Transcript::isOver(const KnownTool& tool, const Json& update) const {
  if (tool.call.turn_id == turn_id_ || !tool.call.ended()) {
    return false;
  }
  const auto& status = update["status"].asString();
  const bool ends = status == item_status::kCompleted || status == item_status::kFailed;
  if (!ends || update["sessionUpdate"].asString() != "tool_call_update") {
    return true;
  }
  auto said_again = tool.call;
  said_again.apply(update);
  return tool.call.status != item_status::kInterrupted &&
         wholeToolItem(said_again, cwd_) != tool.told;
}

/// The one with this id, or a new one: agents begin some with an update or with a question.
Transcript::KnownTool& Transcript::toolOf(const Json& update, std::int64_t now_ms) {
  const auto call_id = headOf(update["toolCallId"].asString(), limits::kAgentName);
  const auto found = std::find_if(tools_.rbegin(), tools_.rend(), [&call_id](const auto& tool) {
    return tool.call.call_id == call_id;
  });
  if (found != tools_.rend() && !isOver(*found, update)) {
    return *found;
  }
  ToolCall call{.call_id = call_id};
  if (found != tools_.rend() && update["sessionUpdate"].asString() != "tool_call") {
    // An update leaves out what has not changed.
    call.title = found->call.title;
    call.name = found->call.name;
    call.kind = found->call.kind;
    call.locations = found->call.locations;
    call.raw_input = found->call.raw_input;
  }
  endText(now_ms);
  makeRoom(now_ms);
  call.item_id = nextId();
  call.turn_id = turn_id_;
  call.started_ms = now_ms;
  tools_.push_back({.call = std::move(call)});
  return tools_.back();
}

void Transcript::makeRoom(std::int64_t now_ms) {
  while (!tools_.empty() &&
         (tools_.size() >= limits::kAgentTools || tools_bytes_ > limits::kAgentToolBytes)) {
    auto oldest = std::find_if(tools_.begin(), tools_.end(),
                               [](const auto& tool) { return tool.call.ended(); });
    if (oldest == tools_.end()) {
      oldest = tools_.begin();
      endTool(*oldest, item_status::kInterrupted, now_ms);
    }
    tools_bytes_ -= oldest->weight;
    tools_.erase(oldest);
  }
}

void Transcript::weigh(KnownTool& tool) {
  tools_bytes_ -= std::exchange(tool.weight, tool.call.weight());
  tools_bytes_ += tool.weight;
}

void Transcript::endTool(KnownTool& tool, std::string_view status, std::int64_t now_ms) {
  tool.call.status = status;
  tell(tool, now_ms);
}

/// That texts are cut is known when they are there; whatever is told of the call later has the same time.
Json Transcript::described(ItemOf& item_of, ToolCall& call, std::int64_t now_ms) const {
  auto item = item_of(call, cwd_);
  if (call.cut_ms == 0 && !item["truncation"].isNull()) {
    call.cut_ms = now_ms;
    item = item_of(call, cwd_);
  }
  return item;
}

void Transcript::tell(KnownTool& tool, std::int64_t now_ms) {
  auto& call = tool.call;
  // Without a turn there is no place for it yet.
  if (call.turn_id.empty()) {
    return;
  }
  const auto withCall = [&call](Json item) {
    return Json::object().set("item", std::move(item)).set("toolCallId", call.call_id);
  };
  if (call.ended() && call.approval == "waiting_for_approval") {
    call.approval.clear();
  }
  auto item = described(toolItem, call, now_ms);
  if (call.ended()) {
    call.ended_ms = call.ended_ms == 0 ? now_ms : call.ended_ms;
    auto whole = described(wholeToolItem, call, now_ms);
    if (!tool.end_told || whole != tool.told) {
      if (tool.told.isNull()) {
        emit(event::kItemStarted, call.turn_id, withCall(std::move(item)));
      }
      tool.told = whole;
      tool.end_told = true;
      emit(event::kItemCompleted, call.turn_id, withCall(std::move(whole)));
    }
    tellPictures(tool);
    return;
  }
  if (tool.told.isNull() || item != tool.told) {
    call.ended_ms = 0;
    auto whole = described(wholeToolItem, call, now_ms);
    // What somebody is asked about is always told.
    const bool begins = tool.told.isNull() || tool.end_told ||
                        item["approvalStatus"] != tool.told["approvalStatus"];
    if (!begins && !mayTellAgain(tool, whole)) {
      return;
    }
    tool.told = std::move(item);
    tool.end_told = false;
    tool.told_output = tool.told["type"].asString() == "commandExecution" ? toolOutput(call) : "";
    emit(event::kItemStarted, call.turn_id, withCall(std::move(whole)));
    return;
  }
  tellOutput(tool, now_ms);
}

void Transcript::tellPictures(KnownTool& tool) {
  for (const auto& path : picturesOf(tool.call)) {
    if (tool.told_pictures.size() < limits::kAgentPictures &&
        tool.told_pictures.insert(path).second) {
      const auto item =
          Json::object().set("id", nextId()).set("type", "imageView").set("path", path);
      for (const auto type : {event::kItemStarted, event::kItemCompleted}) {
        emit(type, tool.call.turn_id, Json::object().set("item", item));
      }
    }
  }
}

/// The log has each: an agent that tells all of a long output with each line of it would fill the disk.
bool Transcript::mayTellAgain(KnownTool& tool, const Json& whole) {
  tool.retold += whole.dump().size();
  return tool.retold <= limits::kAgentRetold;
}

/// Agents send all of the output each time; what was added is a delta.
void Transcript::tellOutput(KnownTool& tool, std::int64_t now_ms) {
  if (tool.told["type"].asString() != "commandExecution") {
    return;
  }
  auto output = toolOutput(tool.call);
  if (output == tool.told_output) {
    return;
  }
  if (output.starts_with(tool.told_output)) {
    emit(event::kItemDelta, tool.call.turn_id,
         Json::object()
             .set("itemId", tool.call.item_id)
             .set("field", "output")
             .set("offset", utf16Length(tool.told_output))
             .set("text", output.substr(tool.told_output.size())));
  } else {
    auto whole = described(wholeToolItem, tool.call, now_ms);
    if (!mayTellAgain(tool, whole)) {
      return;
    }
    emit(event::kItemStarted, tool.call.turn_id,
         Json::object().set("item", std::move(whole)).set("toolCallId", tool.call.call_id));
  }
  tool.told_output = std::move(output);
}

std::string Transcript::permissionAsked(const Json& tool_call, std::int64_t now_ms) {
  auto& tool = toolOf(tool_call, now_ms);
  tool.call.apply(tool_call);
  tool.call.asked();
  weigh(tool);
  tool.call.approval = "waiting_for_approval";
  tell(tool, now_ms);
  return tool.call.item_id;
}

const Transcript::KnownTool* Transcript::toolByItem(const std::string& item_id) const {
  const auto found = std::find_if(tools_.begin(), tools_.end(), [&item_id](const auto& tool) {
    return tool.call.item_id == item_id;
  });
  return found == tools_.end() ? nullptr : &*found;
}

Json Transcript::subjectOf(const std::string& item_id) const {
  const auto* tool = toolByItem(item_id);
  return tool == nullptr ? Json::object() : approvalSubject(tool->call, cwd_);
}

void Transcript::permissionAnswered(const std::string& item_id, bool denied, std::int64_t now_ms) {
  for (auto& tool : tools_) {
    if (tool.call.item_id == item_id && tool.call.approval == "waiting_for_approval") {
      tool.call.approval = denied ? "denied" : "";
      tell(tool, now_ms);
    }
  }
}

void Transcript::tellOpenItems(std::int64_t now_ms) {
  for (auto& tool : tools_) {
    if (!tool.call.ended() && !tool.call.turn_id.empty()) {
      auto told = Json::object()
                      .set("item", described(wholeToolItem, tool.call, now_ms))
                      .set("toolCallId", tool.call.call_id);
      if (tool.told["type"].asString() == "commandExecution") {
        told.set("length", utf16Length(tool.told_output));
      }
      emit(event::kItemStarted, tool.call.turn_id, std::move(told));
    }
  }
  if (text_ && !text_->isTold()) {
    emit(event::kItemStarted, text_->turn_id,
         Json::object().set("item", textItem(*text_, now_ms)).set("length", text_->text.length()));
  }
}

void Transcript::plan(const Json& update) {
  auto steps = Json::array();
  const auto& entries = update["entries"].items();
  const auto shown = std::min(entries.size(), limits::kAgentPlan);
  for (std::size_t at = 0; at < shown; ++at) {
    steps.push(Json::object()
                   .set("step", headOf(entries[at]["content"].asString(), limits::kAgentPlanStep))
                   .set("status", planStatus(entries[at]["status"].asString())));
  }
  if (shown < entries.size()) {
    steps.push(Json::object()
                   .set("step", fmt::format("[{} steps are left out]", entries.size() - shown))
                   .set("status", "pending"));
  }
  if (!turn_id_.empty()) {
    emit(event::kPlanUpdated, turn_id_, Json::object().set("plan", std::move(steps)));
  }
}

void Transcript::usage(const Json& update) {
  // An agent that does not know sends what is no number of tokens.
  const auto count = [&update](std::string_view key, std::int64_t least) {
    const auto said = update[key].asInteger(-1);
    return said >= least ? Json(said) : Json();
  };
  emit(event::kContextWindow, turn_id_,
       Json::object().set("contextWindowUsage", Json::object()
                                                    .set("usedTokens", count("used", 0))
                                                    .set("modelContextWindow", count("size", 1))
                                                    .set("estimated", false)));
}

void Transcript::title(const Json& update) {
  auto said = shortTitle(update["title"].asString());
  // Some make it of the first words of a session, which are the service's instructions.
  if (!said.empty() && said != title_ && !said.starts_with(kInstructions)) {
    title_ = said;
    emit(event::kNameUpdated, runs_ ? turn_id_ : std::string(),
         Json::object().set("threadName", std::move(said)));
  }
}

void Transcript::notice(const Json& update) {
  auto data = Json::object().set("category", "general");
  data.set("summary", clipped(update["title"].asString()));
  if (const auto& description = update["description"].asString(); !description.empty()) {
    data.set("details", clipped(description));
  }
  emit(event::kWarning, turn_id_, std::move(data));
}

}  // namespace svc::agentd
