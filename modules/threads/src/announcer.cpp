#include "announcer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;

namespace {

void addType(std::vector<std::string>& types, const std::string& type) {
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    types.push_back(type);
  }
}

bool isBackground(const std::string& type) { return type.starts_with("item/backgroundTask/"); }

Json eventsMetadata(const std::string& project_id, const std::vector<std::string>& types) {
  auto names = Json::array();
  for (const auto& type : types) {
    names.push(type);
  }
  return Json::object()
      .set("projectId", project_id)
      .set("eventTypes", std::move(names))
      .set("backgroundActivityChanged", std::any_of(types.begin(), types.end(), isBackground));
}

/// Deltas of one frame are pieces that follow each other.
void addDelta(std::vector<Delta>& deltas, const Delta& delta) {
  if (!deltas.empty()) {
    auto& last = deltas.back();
    if (last.item_id == delta.item_id && last.field == delta.field &&
        last.offset + utf16Length(last.text) == delta.offset) {
      last.text += delta.text;
      return;
    }
  }
  deltas.push_back(delta);
}

}  // namespace

std::vector<std::string> servedMembers() {
  std::vector<std::string> out{"experimental_hooks.on"};
  for (const char* event :
       {"thread.created", "thread.active", "thread.archived", "thread.unarchived", "thread.deleted",
        "thread.idle", "thread.failed", "turn.failed", "interaction.pending", "message.queued",
        "message.dispatched", "message.cancelled", "experimental_thread.events",
        "experimental_thread.parentChanged"}) {
    out.push_back(fmt::format(R"(events.on("{}"))", event));
  }
  return out;
}

void Announcer::changed(const Notice& notice) {
  // Frames and tick() tell of the log.
  if (hub_ == nullptr || notice.change == "events-appended") {
    return;
  }
  if (notice.thread_id.empty()) {
    hub_->changed({.entity = "thread", .kinds = {notice.change}});
    return;
  }
  auto metadata = notice.metadata.isNull() ? Json::object() : notice.metadata;
  metadata.set("projectId", notice.project_id);
  const bool only_detail = notice.hidden || notice.change == "queue-changed" ||
                           notice.change == "tabs-changed" || notice.change == "terminals-changed";
  hub_->changed({.entity = "thread",
                 .id = notice.thread_id,
                 .kinds = {notice.change},
                 .metadata = metadata.dump(),
                 .audience = only_detail ? realtime::Audience::kDetail : realtime::Audience::kAll});
  if (!notice.hidden) {
    tellProject(notice.project_id);
  }
}

void Announcer::tellProject(const std::string& project_id) {
  hub_->changed({.entity = "project",
                 .id = project_id,
                 .kinds = {"threads-changed"},
                 .audience = realtime::Audience::kDetail});
}

void Announcer::emitted(const std::string& name, const Json& payload) {
  if (events_ != nullptr) {
    events_->emit(name, common::RawJson(payload.dump()));
  }
}

bool Announcer::isFollowed(const std::string& thread_id) const {
  return hub_ != nullptr && hub_->isFollowed("thread", thread_id);
}

bool Announcer::arm() { return !stopped_ && !std::exchange(armed_, true); }

void Announcer::startTimer() {
  timers_.post([this] {
    auto timer = timers_.after(kFramePause, [this] { sendFrames(); });
    const std::scoped_lock lock(mutex_);
    if (!stopped_) {
      timer_ = std::move(timer);
    }
  });
}

void Announcer::logged(const std::vector<storage::ThreadEventRow>& events) {
  std::map<std::string, bool> followed;
  for (const auto& event : events) {
    if (!followed.contains(event.thread_id)) {
      followed.emplace(event.thread_id, isFollowed(event.thread_id));
    }
  }
  bool start = false;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& event : events) {
      auto& grown = grown_[event.thread_id];
      grown.through = event.seq;
      addType(grown.types, event.type);
      if (!followed[event.thread_id]) {
        continue;
      }
      auto& frame = frames_[event.thread_id];
      frame.from = frame.from == 0 ? event.seq : frame.from;
      addType(frame.types, event.type);
      start = arm() || start;
    }
  }
  if (start) {
    startTimer();
  }
}

void Announcer::streamed(const std::string& thread_id, const Delta& delta) {
  if (!isFollowed(thread_id)) {
    return;
  }
  bool start = false;
  {
    const std::scoped_lock lock(mutex_);
    auto& frame = frames_[thread_id];
    frame.text += delta.text.size();
    if (frame.text > kFrameText) {
      // The next delta has a gap before it.
      frame.deltas.clear();
    } else {
      addDelta(frame.deltas, delta);
    }
    start = arm();
  }
  if (start) {
    startTimer();
  }
}

void Announcer::sendFrames() {
  std::map<std::string, Frame> frames;
  {
    const std::scoped_lock lock(mutex_);
    frames.swap(frames_);
    armed_ = false;
  }
  for (const auto& [thread_id, frame] : frames) {
    sendFrame(thread_id, frame);
  }
}

void Announcer::sendFrame(const std::string& thread_id, const Frame& frame) {
  const auto row = find_(thread_id);
  if (!row) {
    return;
  }
  auto deltas = Json::array();
  for (const auto& delta : frame.deltas) {
    deltas.push(Json::object()
                    .set("itemId", delta.item_id)
                    .set("field", delta.field)
                    .set("offset", delta.offset)
                    .set("text", delta.text));
  }
  auto metadata = eventsMetadata(row->project_id, frame.types);
  // What the deltas belong to is in the log, though perhaps not announced yet.
  metadata.set("fromSeq", frame.from == 0 ? row->last_seq : frame.from)
      .set("throughSeq", row->last_seq)
      .set("deltas", std::move(deltas));
  hub_->changed({.entity = "thread",
                 .id = thread_id,
                 .kinds = {"events-appended"},
                 .metadata = metadata.dump(),
                 .audience = realtime::Audience::kDetail});
}

void Announcer::tick(const ThreadBook& book) {
  std::map<std::string, Grown> grown;
  {
    const std::scoped_lock lock(mutex_);
    grown.swap(grown_);
  }
  for (const auto& [thread_id, each] : grown) {
    const auto row = find_(thread_id);
    if (!row) {
      continue;
    }
    emitted("experimental_thread.events",
            Json::object().set("thread", book.record(*row)).set("sequence", each.through));
    if (hub_ == nullptr) {
      continue;
    }
    hub_->changed(
        {.entity = "thread",
         .id = thread_id,
         .kinds = {"events-appended"},
         .metadata = eventsMetadata(row->project_id, each.types).dump(),
         .audience = row->hidden ? realtime::Audience::kNobody : realtime::Audience::kList});
    if (!row->hidden) {
      tellProject(row->project_id);
    }
  }
}

void Announcer::stop() {
  Handle timer;
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  timer = std::move(timer_);
}

}  // namespace svc::threads
