#include "open_items.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "newest_events.h"
#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {
namespace {

using common::Json;
using storage::ThreadEventRow;

struct OpenItem {
  std::string id;
  Json data;
};

void follow(std::vector<OpenItem>& open, const ThreadEventRow& event) {
  if (event.type != "item/started" && event.type != "item/completed") {
    return;
  }
  auto data = parsed(event.data);
  const auto id = data["item"]["id"].asString();
  const auto found =
      std::find_if(open.begin(), open.end(), [&id](const auto& each) { return each.id == id; });
  if (event.type == "item/completed") {
    if (found != open.end()) {
      open.erase(found);
    }
  } else if (found != open.end()) {
    found->data = std::move(data);
  } else {
    open.push_back({id, std::move(data)});
  }
}

Json interrupted(Json item, const LiveTexts::Texts& texts) {
  if (const auto text = texts.find(item["id"].asString()); text != texts.end()) {
    item = withText(std::move(item), text->second.text);
  }
  if (!item["status"].isNull()) {
    item.set("status", "interrupted");
  }
  if (item["approvalStatus"].asString() == "waiting_for_approval") {
    item.set("approvalStatus", nullptr);
  }
  if (item["type"].asString() == "backgroundTask") {
    item.set("taskStatus", "stopped");
  }
  return item;
}

}  // namespace

void closeOpenItems(Edit& edit, storage::ThreadRow& thread, const storage::TurnRow& turn,
                    const LiveTexts::Texts& texts) {
  const auto stored =
      newestEvents(edit.book().store(), {.thread_id = thread.id,
                                         .after_seq = turn.requested_seq,
                                         .types = {"item/started", "item/completed"},
                                         .limit = kTimelineEvents});
  std::vector<OpenItem> open;
  if (stored) {
    for (const auto& event : stored.value()) {
      follow(open, event);
    }
  }
  for (const auto& event : edit.change.events) {
    if (event.thread_id == thread.id) {
      follow(open, event);
    }
  }
  for (const auto& [id, data] : open) {
    edit.log(thread, "item/completed", turn.turn_id,
             Json::object()
                 .set("item", interrupted(data["item"], texts))
                 .set("providerThreadId", data["providerThreadId"]));
  }
}

}  // namespace svc::threads
