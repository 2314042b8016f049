#include "form_askers.h"

#include <utility>

#include "svc/common/codes.h"

#include "form_request.h"

namespace svc::agents {

std::string FormAskers::add(const std::string& plugin_id, Caller caller) {
  const std::scoped_lock lock(mutex_);
  auto call = std::to_string(++last_);
  askers_.emplace(call, Asker{plugin_id, std::move(caller)});
  return call;
}

void FormAskers::remove(const std::string& call) {
  const std::scoped_lock lock(mutex_);
  askers_.erase(call);
}

std::optional<FormAskers::Caller> FormAskers::find(const std::string& plugin_id,
                                                   const std::string& call) {
  const std::scoped_lock lock(mutex_);
  const auto found = askers_.find(call);
  return found != askers_.end() && found->second.plugin_id == plugin_id
             ? std::optional(found->second.caller)
             : std::nullopt;
}

std::optional<FormAskers::Caller> FormAskers::onlyOf(const std::string& plugin_id,
                                                     const std::string& thread_id) {
  const std::scoped_lock lock(mutex_);
  std::optional<Caller> found;
  for (const auto& [call, asker] : askers_) {
    if (asker.plugin_id == plugin_id && asker.caller.thread_id == thread_id) {
      if (found) {
        return std::nullopt;
      }
      found = asker.caller;
    }
  }
  return found;
}

std::function<void()> FormAskers::openedOf(const std::string& plugin_id,
                                           const std::string& request) {
  const auto parsed = common::Json::parse(request);
  if (!parsed) {
    return {};
  }
  const auto& call = parsed.value()["call"];
  auto caller = call.isNull() ? onlyOf(plugin_id, parsed.value()["threadId"].asString())
                              : find(plugin_id, call.asString());
  return caller ? std::move(caller->opened) : std::function<void()>();
}

void FormAskers::ask(const std::string& plugin_id, const std::string& request,
                     Completion<std::string> done) {
  const auto parsed = common::Json::parse(request);
  const auto caller = parsed ? find(plugin_id, parsed.value()["call"].asString()) : std::nullopt;
  if (!caller) {
    done(Error{errc::kNotFound, "the call that the form belongs to has ended"});
    return;
  }
  if (!caller->ask) {
    done(Error{errc::kNotSupported,
               "this call is of a thread, which shows its forms: requestInput({ threadId: "
               "ctx.threadId, … })"});
    return;
  }
  caller->ask(formRequestOf(plugin_id, parsed.value()), outcomeAsText(std::move(done)));
}

}  // namespace svc::agents
