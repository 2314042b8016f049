#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/terminals.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"

#include "book.h"

// What daemons say, and what becomes of terminals by it.

namespace svc::terminals {
namespace {

using common::Json;

/// A member that the session has checked.
std::int64_t countOf(const common::JsonSlices& message, std::string_view key) {
  const auto raw = message.raw(key);
  std::int64_t value = 0;
  std::from_chars(raw.data(), raw.data() + raw.size(), value);
  return value;
}

}  // namespace

void Book::hostOpened(const std::string& host_id) {
  open_hosts_.insert(host_id);
  strangers_.clear();
  auto wanted = Json::array();
  std::vector<std::string> named;
  for (auto& [id, entry] : entries_) {
    if (entry.row.host_id == host_id && !isEnded(entry.row) &&
        entry.row.status != status::kStarting) {
      // What was on its way is lost, or has arrived: both are over.
      entry.input_on_the_way = 0;
      wanted.push(Json::object().set("terminalId", id).set("seq", entry.ring.next()));
      named.push_back(id);
    }
  }
  with_.commands.send(host_id,
                      Json::object()
                          .set("type", hostprotocol::command::kTerminalResume)
                          .set("terminals", std::move(wanted))
                          .dump(),
                      limits::kHostCall,
                      [weak = weak_from_this(), host_id, named](const Result<std::string>& result) {
                        if (const auto self = weak.lock()) {
                          self->resumed(host_id, named, result);
                        }
                      });
}

void Book::resumed(const std::string& host_id, const std::vector<std::string>& named,
                   const Result<std::string>& result) {
  if (!result &&
      (result.error().code == errc::kHostUnavailable || result.error().code == errc::kUnknownHost ||
       result.error().code == errc::kTimeout)) {
    return;  // the next session asks again
  }
  const auto answer = hosts::answerObject(result);
  std::set<std::string> live;
  if (answer) {
    for (const auto& id : answer.value()["live"].items()) {
      live.insert(id.asString());
    }
  }
  for (const auto& id : named) {
    auto* entry = find(id);
    if (entry == nullptr || isEnded(entry->row)) {
      continue;
    }
    if (!live.contains(id)) {
      end(*entry, reason::kDaemonDisconnect);
    } else if (entry->row.status == status::kDisconnected && open_hosts_.contains(host_id)) {
      entry->row.status = status::kRunning;
      changed(*entry);
    }
  }
}

void Book::hostClosed(const std::string& host_id) { open_hosts_.erase(host_id); }

void Book::hostGone(const std::string& host_id) {
  open_hosts_.erase(host_id);
  const bool removed = !with_.registry.find(host_id);
  for (auto& [id, entry] : entries_) {
    if (entry.row.host_id != host_id || isEnded(entry.row)) {
      continue;
    }
    if (removed) {
      end(entry, reason::kDaemonDisconnect);
    } else if (entry.row.status == status::kRunning) {
      entry.row.status = status::kDisconnected;
      changed(entry);
    }
  }
}

void Book::hostMessage(const std::string& host_id, std::string_view type, std::string_view text) {
  const auto message = common::JsonSlices::skim(text);
  if (!message) {
    return;
  }
  const auto id = message.value().text("terminalId");
  auto* entry = find(id);
  const bool known = entry != nullptr && entry->row.host_id == host_id;
  if (type == hostprotocol::to_server::kTerminalExit) {
    if (known && !isEnded(entry->row)) {
      end(*entry, reason::kProcessExit, countOf(message.value(), "exitCode"));
    }
    tellExit(host_id, id, known ? entry->ring.next() : 0);
    return;
  }
  if (!known || isEnded(entry->row)) {
    // One whose answer came too late, or that was closed while its machine was away.
    if (type == hostprotocol::to_server::kTerminalOutput && strangers_.insert(id).second) {
      with_.commands.send(host_id,
                          Json::object()
                              .set("type", hostprotocol::command::kTerminalClose)
                              .set("terminalId", id)
                              .set("mode", "force")
                              .dump(),
                          limits::kHostCall, [](const Result<std::string>&) {});
    }
    return;
  }
  if (type == hostprotocol::to_server::kTerminalOutput) {
    arrived(*entry, text);
  } else if (type == hostprotocol::to_server::kTerminalTaken) {
    const auto bytes = static_cast<std::size_t>(countOf(message.value(), "bytes"));
    entry->input_on_the_way -= std::min(bytes, entry->input_on_the_way);
  }
}

void Book::arrived(Entry& entry, std::string_view text) {
  const auto message = common::JsonSlices::skim(text);
  // Base64 has no escapes: the raw text between its quotes is it.
  auto raw = message.value().raw("dataBase64");
  raw.remove_prefix(1);
  raw.remove_suffix(1);
  auto bytes = hostprotocol::decodeBase64(raw);
  if (!bytes) {
    return;
  }
  entry.ring.put(static_cast<std::uint64_t>(countOf(message.value(), "seq")), *std::move(bytes));
  if (!entry.acknowledgement) {
    entry.acknowledgement =
        with_.reactor.after(kAcknowledge, [weak = weak_from_this(), id = entry.row.id] {
          const auto self = weak.lock();
          if (auto* due = self ? self->find(id) : nullptr) {
            self->acknowledge(*due);
          }
        });
  }
  wake(entry);
}

void Book::acknowledge(Entry& entry) {
  entry.acknowledgement.reset();
  with_.messages.tell(
      entry.row.host_id,
      fmt::format(R"({{"type":"{}","terminalId":"{}","seq":{},"ended":false}})",
                  hostprotocol::to_daemon::kTerminalAck, entry.row.id, entry.ring.next()));
}

/// The daemon forgets it.
void Book::tellExit(const std::string& host_id, const std::string& id, std::uint64_t seq) {
  with_.messages.tell(host_id, Json::object()
                                   .set("type", hostprotocol::to_daemon::kTerminalAck)
                                   .set("terminalId", id)
                                   .set("seq", seq)
                                   .set("ended", true)
                                   .dump());
}

void Book::end(Entry& entry, const char* why, std::int64_t exit_code) {
  entry.row.status = status::kExited;
  entry.row.close_reason = entry.closed_because != nullptr ? entry.closed_because : why;
  entry.row.exit_code = exit_code;
  entry.acknowledgement.reset();
  tellLost(entry);
  ended_.push_back(entry.row.id);
  if (ended_.size() > kEndedRings) {
    const auto at = std::prev(ended_.end(), static_cast<std::ptrdiff_t>(kEndedRings + 1));
    if (auto* old = find(*at)) {
      old->ring.clear();
    }
  }
  changed(entry);
  wake(entry);
  for (auto& [number, closing] : std::exchange(entry.closing, {})) {
    (*closing.done)(recordOf(entry.row));
  }
  while (ended_.size() > kEndedKept) {
    forget(std::string(ended_.front()));
  }
}

void Book::wake(Entry& entry) {
  for (auto at = entry.waiting.begin(); at != entry.waiting.end();) {
    const auto next = std::next(at);
    if (isEnded(entry.row) || hasOutput(entry.ring, at->second.query)) {
      auto node = entry.waiting.extract(at);
      (*node.mapped().done)(outputOf(entry.ring, node.mapped().query));
    }
    at = next;
  }
}

void Book::changed(Entry& entry) {
  entry.row.updated_at = std::max(with_.clock.nowMs(), entry.row.updated_at);
  with_.journal->put(entry.row);
  tell(entry.row);
}

void Book::tell(const storage::TerminalRow& row) {
  if (with_.hub != nullptr) {
    with_.hub->changed({.entity = "host",
                        .id = row.host_id,
                        .kinds = {"terminals-changed"},
                        .metadata = Json::object().set("terminalId", row.id).dump()});
  }
  if (!row.thread_id.empty()) {
    with_.tell_thread(row.thread_id);
  }
}

void Book::forget(const std::string& id) {
  ended_.remove(id);
  with_.journal->remove(id);
  entries_.erase(id);
}

void Book::sweep() {
  const auto before = with_.clock.nowMs() - limits::kTerminalKeep.count();
  const auto ended = ended_;
  for (const auto& id : ended) {
    if (const auto* entry = find(id); entry == nullptr || entry->row.updated_at <= before) {
      forget(id);
    }
  }
  sweep_timer_ = with_.reactor.after(kSweep, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->sweep();
    }
  });
}

}  // namespace svc::terminals
