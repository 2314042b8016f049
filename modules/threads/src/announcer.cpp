#include "announcer.h"

#include <algorithm>
#include <utility>

#include "thread_record.h"

namespace svc::threads {

using common::Json;

void Announcer::changed(const Notice& notice) {
  if (hub_ == nullptr || notice.change == "events-appended") {
    return;
  }
  if (notice.thread_id.empty()) {
    hub_->changed({.entity = "thread", .kinds = {notice.change}});
    return;
  }
  auto metadata = notice.metadata.isNull() ? Json::object() : notice.metadata;
  metadata.set("projectId", notice.project_id);
  hub_->changed({.entity = "thread",
                 .id = notice.thread_id,
                 .kinds = {notice.change},
                 .metadata = metadata.dump()});
  const bool only_detail = notice.hidden || notice.change == "queue-changed" ||
                           notice.change == "tabs-changed" || notice.change == "terminals-changed";
  if (!only_detail) {
    hub_->changed({.entity = "project", .id = notice.project_id, .kinds = {"threads-changed"}});
  }
}

void Announcer::emitted(const std::string& name, const Json& payload) {
  if (events_ != nullptr) {
    events_->emit(name, common::RawJson(payload.dump()));
  }
}

void Announcer::logged(const std::vector<storage::ThreadEventRow>& events) {
  bool arm = false;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& event : events) {
      auto& grown = grown_[event.thread_id];
      grown.from = grown.from == 0 ? event.seq : grown.from;
      grown.through = event.seq;
      if (std::find(grown.types.begin(), grown.types.end(), event.type) == grown.types.end()) {
        grown.types.push_back(event.type);
      }
      for_plugins_[event.thread_id] = event.seq;
    }
    arm = !stopped_ && !std::exchange(armed_, true);
  }
  if (arm) {
    timers_.post([this] {
      auto timer = timers_.after(kFramePause, [this] { sendFrames(); });
      const std::scoped_lock lock(mutex_);
      if (!stopped_) {
        timer_ = std::move(timer);
      }
    });
  }
}

void Announcer::sendFrames() {
  std::map<std::string, Grown> grown;
  {
    const std::scoped_lock lock(mutex_);
    grown.swap(grown_);
    armed_ = false;
  }
  for (auto& [thread_id, each] : grown) {
    if (hub_ == nullptr) {
      break;
    }
    auto types = Json::array();
    for (auto& type : each.types) {
      types.push(std::move(type));
    }
    hub_->changed({.entity = "thread",
                   .id = thread_id,
                   .kinds = {"events-appended"},
                   .metadata = Json::object()
                                   .set("eventTypes", std::move(types))
                                   .set("backgroundActivityChanged", false)
                                   .set("fromSeq", each.from)
                                   .set("throughSeq", each.through)
                                   .set("deltas", Json::array())
                                   .dump()});
  }
}

void Announcer::tick(const ThreadBook& book) {
  std::map<std::string, std::int64_t> grown;
  {
    const std::scoped_lock lock(mutex_);
    grown.swap(for_plugins_);
  }
  for (const auto& [thread_id, seq] : grown) {
    if (const auto thread = book.thread(thread_id)) {
      emitted("experimental_thread.events",
              Json::object().set("thread", book.record(thread.value())).set("sequence", seq));
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
