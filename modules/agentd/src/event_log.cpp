#include "event_log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

namespace svc::agentd {

EventLog::EventLog(std::string session_id, std::string thread_id, Services services)
    : session_id_(std::move(session_id)),
      thread_id_(std::move(thread_id)),
      services_(std::move(services)) {}

void EventLog::append(AgentEvent event) {
  const bool is_delta = event.type == hostprotocol::agent_event::kItemDelta;
  if (is_delta && !attached_) {
    return;
  }
  auto text = fmt::format(R"({{"seq":{},"at":{},"turnId":{},"type":{},"data":{}}})", ++last_,
                          services_.now_ms(),
                          event.turn_id.empty() ? "null" : common::jsonString(event.turn_id),
                          common::jsonString(event.type), event.data.dump());
  held_ += text.size();
  entries_.push_back({last_, is_delta, std::move(text)});
  judge();
  sendSoon();
}

void EventLog::attach(std::uint64_t seq) {
  dropUntil(seq);
  dropDeltas();
  attached_ = true;
  sent_ = 0;
  judge();
  sendSoon();
}

void EventLog::detach() {
  attached_ = false;
  dropDeltas();
  judge();
}

void EventLog::acknowledge(std::uint64_t seq) {
  // Only what was sent can have arrived.
  dropUntil(std::min(seq, sent_));
  judge();
}

void EventLog::dropUntil(std::uint64_t seq) {
  while (!entries_.empty() && entries_.front().seq <= seq) {
    held_ -= entries_.front().text.size();
    entries_.pop_front();
  }
}

void EventLog::dropDeltas() {
  std::erase_if(entries_, [this](const Entry& entry) {
    held_ -= entry.is_delta ? entry.text.size() : 0;
    return entry.is_delta;
  });
}

void EventLog::sendSoon() {
  if (!attached_ || std::exchange(flushing_, true)) {
    return;
  }
  services_.soon([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->flushing_ = false;
      self->flush();
    }
  });
}

void EventLog::flush() {
  auto next = std::find_if(entries_.begin(), entries_.end(),
                           [this](const Entry& entry) { return entry.seq > sent_; });
  while (attached_ && next != entries_.end()) {
    std::string events;
    for (; next != entries_.end() &&
           (events.empty() || events.size() + next->text.size() <= limits::kAgentBatch);
         ++next) {
      events += (events.empty() ? "" : ",") + next->text;
      sent_ = next->seq;
    }
    services_.send(fmt::format(R"({{"type":"{}","sessionId":{},"threadId":{},"events":[{}]}})",
                               hostprotocol::to_server::kAgentEvents,
                               common::jsonString(session_id_), common::jsonString(thread_id_),
                               events));
  }
}

void EventLog::judge() {
  const bool full =
      full_ ? held_ > limits::kAgentUnacknowledged / 2 : held_ > limits::kAgentUnacknowledged;
  if (full != full_) {
    full_ = full;
    services_.pressure(full);
  }
}

}  // namespace svc::agentd
