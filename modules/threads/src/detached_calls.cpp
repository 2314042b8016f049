#include "detached_calls.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "svc/base/files.h"
#include "svc/common/json.h"

namespace svc::threads {

namespace fs = std::filesystem;
using common::Json;

namespace {

constexpr std::size_t kFileBytes = 64UL * 1024;

}  // namespace

Status DetachedCalls::add(const DetachedCall& call) const {
  if (auto made = base::makePrivateDirectory(directory_); !made) {
    return made;
  }
  return base::replaceFile(
      directory_ / call.id,
      Json::object().set("threadId", call.thread_id).set("tool", call.tool).dump());
}

void DetachedCalls::remove(const std::string& id) const { ::unlink((directory_ / id).c_str()); }

std::vector<DetachedCall> DetachedCalls::list() const {
  std::vector<DetachedCall> calls;
  std::error_code failure;
  for (fs::directory_iterator entry(directory_, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const auto text = base::readFile(entry->path(), kFileBytes, base::Links::kRefused);
    const auto call = text ? Json::parse(text.value()) : Result<Json>(text.error());
    if (call && call.value()["threadId"].isString()) {
      calls.push_back({.id = entry->path().filename().string(),
                       .thread_id = call.value()["threadId"].asString(),
                       .tool = call.value()["tool"].asString()});
    }
  }
  std::ranges::sort(calls, {}, &DetachedCall::id);
  return calls;
}

}  // namespace svc::threads
