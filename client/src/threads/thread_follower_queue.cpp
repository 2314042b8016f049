#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "exit_code.h"
#include "text.h"
#include "threads/thread_follower.h"

namespace svc::client {
namespace {

using common::Json;

/// What a row of the queue says; empty where that is no text.
std::string saidIn(const Json& row) {
  const auto& blocks = row["content"].items();
  const auto found = std::find_if(blocks.begin(), blocks.end(), [](const Json& block) {
    return !block["text"].asString().empty();
  });
  return found == blocks.end() ? std::string() : (*found)["text"].asString();
}

bool restsUntilSomebodyGoesOn(const Json& thread, const std::vector<Json>& rows) {
  return thread["status"].asString() == "error" && !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const Json& row) {
           // Of the turn that has just failed, for a moment.
           const bool waits =
               !row["waitingOn"].isNull() && row["waitingOn"]["kind"] != Json("thread-busy");
           return !waits && row["sendAt"].isNull();
         });
}

}  // namespace

std::function<bool(const Json& requested)> beginsWithText(std::string text) {
  return [text = std::move(text)](const Json& requested) {
    const auto& blocks = requested["input"].items();
    return std::any_of(blocks.begin(), blocks.end(),
                       [&](const Json& block) { return block["text"].asString() == text; });
  };
}

void ThreadFollower::giveUp(const std::string& why, const std::string& hint) {
  printer_.breakLine();
  console_.out << std::flush;
  console_.complain(why, hint);
  failure_ = kExitFailure;
}

ThreadFollower::Step ThreadFollower::lookAtQueue() {
  Json thread;
  Json queue;
  auto step = get({}, thread);
  step = step == Step::kWent ? get("/queued-messages", queue) : step;
  if (step != Step::kWent) {
    return step;
  }
  look_at_queue_ = false;
  const auto& rows = queue["queuedMessages"].items();
  if (failed_before_ && restsUntilSomebodyGoesOn(thread["thread"], rows)) {
    giveUp("the message goes on waiting: the turn before it has failed",
           fmt::format("`svc thread retry {0}` tries that turn again, `svc thread queue send {0} "
                       "{1}` sends the next message",
                       oneLine(thread_id_), oneLine(rows.front()["id"].asString())));
    return Step::kWent;
  }
  return waitsInQueue() ? lookAtMessage(thread["thread"], rows) : Step::kWent;
}

ThreadFollower::Step ThreadFollower::lookAtMessage(const Json& thread,
                                                   const std::vector<Json>& rows) {
  const auto row = std::find_if(rows.begin(), rows.end(), [this](const Json& each) {
    return each["id"].asString() == turn_.queued_message;
  });
  if (row == rows.end()) {
    // One that is sent leaves the queue in the same moment as its turn comes into the log.
    const auto step = drain();
    if (step == Step::kWent && !begun_) {
      giveUp("the message does not wait any more, and no turn has begun with it: it was deleted",
             {});
    }
    return step;
  }
  if (!thread["archivedAt"].isNull()) {
    giveUp("the message goes on waiting: the thread was archived",
           fmt::format("`svc thread unarchive {0}` sends it, `svc thread follow {0}` shows what "
                       "comes of it",
                       oneLine(thread_id_)));
    return Step::kWent;
  }
  if (const auto text = saidIn(*row); (*row)["editable"].asBool() && !text.empty()) {
    turn_.begins = beginsWithText(text);  // somebody may have changed it
  }
  return Step::kWent;
}

}  // namespace svc::client
