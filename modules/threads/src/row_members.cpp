#include "row_members.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "thread_record.h"

namespace svc::threads {

using common::Json;
using storage::ThreadEventRow;

namespace {

std::string joined(const Json& texts) {
  std::string out;
  for (const auto& text : texts.items()) {
    out += (out.empty() ? "" : "\n") + text.asString();
  }
  return out;
}

Json textFrom(const Json& value) {
  return value.isNull() ? Json("") : value.isString() ? value : Json(value.dump());
}

Json completedAt(const ThreadEventRow& event) {
  return event.type == "item/completed" ? Json(event.created_at) : Json();
}

}  // namespace

std::string rowStatus(const std::string& status) {
  return status == "failed" ? "error" : status.empty() ? "completed" : status;
}

Json attachmentsOf(const Json& input) {
  auto urls = Json::array();
  auto images = Json::array();
  auto files = Json::array();
  for (const auto& block : input.items()) {
    const auto& type = block["type"].asString();
    if (!isShown(block)) {
      continue;
    }
    if (type == "image") {
      urls.push(block["url"]);
    } else if (type == "localImage") {
      images.push(block["path"]);
    } else if (type == "localFile") {
      files.push(block["path"]);
    }
  }
  const auto count = [](const Json& list) {
    return static_cast<std::int64_t>(list.items().size());
  };
  if (count(urls) + count(images) + count(files) == 0) {
    return {};
  }
  return Json::object()
      .set("webImages", count(urls))
      .set("localImages", count(images))
      .set("localFiles", count(files))
      .set("imageUrls", urls)
      .set("localImagePaths", images)
      .set("localFilePaths", files);
}

Json mentionsOf(const Json& input) {
  auto out = Json::array();
  for (const auto& block : input.items()) {
    for (const auto& mention : block["mentions"].items()) {
      out.push(mention);
    }
  }
  return out;
}

Json diffStats(const std::string& diff) {
  std::int64_t added = 0;
  std::int64_t removed = 0;
  for (std::size_t at = 0; at < diff.size();
       at = diff.find('\n', at), at += at < diff.size() ? 1 : 0) {
    const auto line = std::string_view(diff).substr(at, 3);
    added += line.starts_with('+') && line != "+++" ? 1 : 0;
    removed += line.starts_with('-') && line != "---" ? 1 : 0;
    if (diff.find('\n', at) == std::string::npos) {
      break;
    }
  }
  return Json::object().set("added", added).set("removed", removed);
}

Json workOf(const ThreadEventRow& event, const Json& item) {
  const auto& type = item["type"].asString();
  auto row = Json::object();
  const auto kind = [&row](const char* name) -> Json& { return row.set("workKind", name); };
  if (type == "commandExecution") {
    return kind("command")
        .set("callId", item["id"])
        .set("command", item["command"])
        .set("cwd", item["cwd"])
        .set("output", textFrom(item["aggregatedOutput"]))
        .set("exitCode", item["exitCode"])
        .set("source", nullptr)
        .set("approvalStatus", item["approvalStatus"])
        .set("activityIntents", Json::array())
        .set("completedAt", completedAt(event));
  }
  if (type == "toolCall") {
    kind("tool")
        .set("callId", item["id"])
        .set("toolName", item["tool"])
        .set("toolArgs", item["arguments"].isObject() ? item["arguments"] : Json())
        .set("output", textFrom(item["error"].isNull() ? item["result"] : item["error"]))
        .set("approvalStatus", item["approvalStatus"]);
    for (const char* member : {"statusLabels", "presentation"}) {
      if (!item[member].isNull()) {
        row.set(member, item[member]);
      }
    }
    return row.set("activityIntents", Json::array()).set("completedAt", completedAt(event));
  }
  if (type == "webSearch") {
    return kind("web-search").set("queries", item["queries"]);
  }
  if (type == "webFetch") {
    return kind("web-fetch")
        .set("url", item["url"])
        .set("prompt", item["prompt"])
        .set("pattern", item["pattern"]);
  }
  if (type == "imageView") {
    return kind("image-view").set("path", item["path"]);
  }
  if (type == "reasoning") {
    auto text = joined(item["content"]);
    return kind("reasoning").set("text", text.empty() ? joined(item["summary"]) : std::move(text));
  }
  if (type == "plan") {
    return kind("plan").set("text", item["text"]);
  }
  if (type == "backgroundTask") {
    return kind("workflow")
        .set("itemId", item["id"])
        .set("taskType", item["taskType"])
        .set("taskStatus", item["taskStatus"])
        .set("description", item["description"])
        .set("summary", item["summary"])
        .set("usage", item["usage"]);
  }
  return {};
}

}  // namespace svc::threads
