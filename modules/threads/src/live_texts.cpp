#include "live_texts.h"

#include <optional>
#include <set>

#include "thread_limits.h"

namespace svc::threads {

using common::Json;

namespace {

/// Bytes of the first units of a text, at a character.
std::size_t bytesOfUnits(std::string_view text, std::int64_t units) {
  std::int64_t seen = 0;
  std::size_t at = 0;
  while (at < text.size() && seen < units) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    seen += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return at < text.size() ? at : text.size();
}

struct Streamed {
  const char* field;
  std::string text;
};

/// The member of an item that streams, as it is now; nullopt for items that come whole.
std::optional<Streamed> streamedOf(const Json& item) {
  const auto& type = item["type"].asString();
  if (type == "agentMessage" || type == "plan") {
    return Streamed{"text", item["text"].asString()};
  }
  if (type == "commandExecution") {
    return Streamed{"output", item["aggregatedOutput"].asString()};
  }
  if (type == "toolCall") {
    return Streamed{"output", item["result"].asString()};
  }
  if (type == "reasoning") {
    const auto& content = item["content"].items();
    return Streamed{"reasoning", content.empty() ? std::string() : content.front().asString()};
  }
  return std::nullopt;
}

}  // namespace

Json withText(Json item, const std::string& text) {
  const auto& type = item["type"].asString();
  if (type == "agentMessage" || type == "plan") {
    item.set("text", text);
  } else if (type == "commandExecution") {
    item.set("aggregatedOutput", text);
  } else if (type == "toolCall") {
    item.set("result", text);
  } else if (type == "reasoning") {
    item.set("content", Json::Array{Json(text)});
  }
  return item;
}

void LiveTexts::drop(OfThread& thread, const std::string& item_id) {
  if (const auto found = thread.texts.find(item_id); found != thread.texts.end()) {
    thread.bytes -= found->second.text.size();
    thread.texts.erase(found);
  }
}

void LiveTexts::logged(const std::string& thread_id, const std::string& type, const Json& data) {
  if (type != "item/started" && type != "item/completed") {
    return;
  }
  const auto& item = data["item"];
  const auto& id = item["id"].asString();
  auto streamed = type == "item/started" ? streamedOf(item) : std::nullopt;
  LiveJournal::Piece begun;
  bool none_left = false;
  {
    const std::scoped_lock lock(mutex_);
    auto& thread = threads_[thread_id];
    const bool had_some = !thread.texts.empty();
    drop(thread, id);
    if (streamed && thread.texts.size() < kLiveItems) {
      const auto length = utf16Length(streamed->text);
      auto& text = thread.texts[id];
      text = {.field = streamed->field, .text = std::move(streamed->text), .length = length};
      thread.bytes += text.text.size();
      // A text that was cut is another one than that whose pieces follow.
      text.stopped = data["length"].asInteger(length) != length;
      if (thread.bytes > kLiveBytes) {
        drop(thread, id);
      } else {
        begun = {.item_id = id, .field = text.field, .text = text.text};
      }
    }
    if (thread.texts.empty()) {
      threads_.erase(thread_id);
      none_left = had_some;
    }
  }
  if (journal_ != nullptr && none_left) {
    journal_->remove(thread_id);
  } else if (!begun.text.empty()) {
    keep(thread_id, std::move(begun));
  }
}

void LiveTexts::keep(const std::string& thread_id, LiveJournal::Piece piece) {
  if (journal_ == nullptr) {
    return;
  }
  journal_->append(thread_id, piece);
  shorten(thread_id);
}

void LiveTexts::shorten(const std::string& thread_id) {
  if (journal_ == nullptr || !journal_->isLong(thread_id)) {
    return;
  }
  std::vector<LiveJournal::Piece> pieces;
  for (auto& [id, text] : of(thread_id)) {
    pieces.push_back({.item_id = id, .field = text.field, .text = text.text});
  }
  journal_->rewrite(thread_id, pieces);
}

void LiveTexts::recover(const std::function<bool(const std::string& thread_id)>& exists) {
  if (journal_ == nullptr) {
    return;
  }
  std::set<std::string> strangers;
  journal_->read([&](const std::string& thread_id, const LiveJournal::Piece& piece) {
    if (!exists(thread_id)) {
      strangers.insert(thread_id);
      return;
    }
    const std::scoped_lock lock(mutex_);
    auto& text = threads_[thread_id].texts[piece.item_id];
    if (piece.offset == 0) {
      text = {.field = piece.field};
    }
    if (piece.offset == text.length && piece.field == text.field) {
      text.text += piece.text;
      text.length += utf16Length(piece.text);
    }
  });
  for (const auto& thread_id : strangers) {
    journal_->remove(thread_id);
  }
}

bool LiveTexts::take(const std::string& thread_id, const Delta& delta) {
  const std::scoped_lock lock(mutex_);
  const auto thread = threads_.find(thread_id);
  if (thread == threads_.end()) {
    return false;
  }
  const auto found = thread->second.texts.find(delta.item_id);
  if (found == thread->second.texts.end() || found->second.length != delta.offset) {
    return false;
  }
  found->second.text += delta.text;
  found->second.length += utf16Length(delta.text);
  thread->second.bytes += delta.text.size();
  return true;
}

void LiveTexts::grow(const std::string& thread_id, const Json& data) {
  Delta delta{.item_id = data["itemId"].asString(), .field = data["field"].asString()};
  const auto offset = data["offset"].asInteger();
  const auto& given = data["text"].asString();
  {
    const std::scoped_lock lock(mutex_);
    const auto thread = threads_.find(thread_id);
    if (thread == threads_.end()) {
      return;
    }
    const auto found = thread->second.texts.find(delta.item_id);
    if (found == thread->second.texts.end() || found->second.stopped ||
        found->second.field != delta.field) {
      return;
    }
    auto& text = found->second;
    if (offset < 0 || offset > text.length) {
      text.stopped = true;
      return;
    }
    delta.offset = text.length;
    delta.text = given.substr(bytesOfUnits(given, text.length - offset));
    if (delta.text.empty()) {
      return;
    }
    if (text.text.size() + delta.text.size() > kItemText ||
        thread->second.bytes + delta.text.size() > kLiveBytes) {
      text.stopped = true;
      return;
    }
  }
  // What somebody has been shown is there after a kill, so it is written down before anybody can read it.
  if (journal_ != nullptr) {
    journal_->append(thread_id, {delta.item_id, delta.field, delta.offset, delta.text});
  }
  if (!take(thread_id, delta)) {
    return;
  }
  shorten(thread_id);
  grown_(thread_id, delta);
}

void LiveTexts::forget(const std::string& thread_id) {
  {
    const std::scoped_lock lock(mutex_);
    if (threads_.erase(thread_id) == 0) {
      return;
    }
  }
  if (journal_ != nullptr) {
    journal_->remove(thread_id);
  }
}

LiveTexts::Texts LiveTexts::of(const std::string& thread_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = threads_.find(thread_id);
  return found == threads_.end() ? Texts() : found->second.texts;
}

}  // namespace svc::threads
