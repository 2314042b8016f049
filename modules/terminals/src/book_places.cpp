#include <string_view>
#include <utility>

#include "svc/common/codes.h"

#include "book.h"

// What becomes of terminals whose thread or environment goes.

namespace svc::terminals {

Status Book::checkPlace(const NewTerminal& wanted) const {
  const auto* why = with_.why_gone(wanted.thread_id, wanted.environment_id);
  if (why == nullptr) {
    return {};
  }
  const std::string_view reason(why);
  return Error{errc::kConflict,
               reason == reason::kThreadArchived
                   ? "the thread is archived and gets no terminals; unarchive it first"
               : reason == reason::kThreadDeleted
                   ? "the thread of this terminal is deleted; open one of another thread"
                   : "the environment of this terminal is removed; open one elsewhere"};
}

void Book::placeGone(const std::string& place_id, const char* why) {
  std::vector<std::string> closing;
  for (const auto& [id, entry] : entries_) {
    if ((entry.row.thread_id == place_id || entry.row.environment_id == place_id) &&
        !isEnded(entry.row)) {
      closing.push_back(id);
    }
  }
  for (const auto& id : closing) {
    closeBecause(id, why);
  }
}

void Book::closeHomeless() {
  std::vector<std::pair<std::string, const char*>> closing;
  for (const auto& [id, entry] : entries_) {
    const auto* why = with_.why_gone(entry.row.thread_id, entry.row.environment_id);
    if (why != nullptr && !isEnded(entry.row)) {
      closing.emplace_back(id, why);
    }
  }
  for (const auto& [id, why] : closing) {
    closeBecause(id, why);
  }
}

void Book::closeBecause(const std::string& id, const char* why) {
  auto* entry = find(id);
  if (entry == nullptr || isEnded(entry->row)) {
    return;
  }
  entry->closed_because = why;
  if (entry->row.status == status::kStarting) {
    return;  // closed when it is open
  }
  close(id, true, [weak = weak_from_this(), id, why](const Result<common::Json>& closed) {
    const auto self = weak.lock();
    auto* left = self && !closed ? self->find(id) : nullptr;
    if (left != nullptr && !isEnded(left->row)) {
      // Its daemon ends what is not named to it when it is back.
      self->end(*left, why);
    }
  });
}

}  // namespace svc::terminals
