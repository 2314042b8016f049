#include "form_askers.h"

#include <memory>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

namespace svc::agents {

std::string FormAskers::add(const std::string& plugin_id, AskForm ask) {
  const std::scoped_lock lock(mutex_);
  auto call = std::to_string(++last_);
  askers_.emplace(call, Asker{plugin_id, std::move(ask)});
  return call;
}

void FormAskers::remove(const std::string& call) {
  const std::scoped_lock lock(mutex_);
  askers_.erase(call);
}

void FormAskers::ask(const std::string& plugin_id, const std::string& request,
                     Completion<std::string> done) {
  const auto parsed = common::Json::parse(request);
  AskForm asker;
  if (parsed) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = askers_.find(parsed.value()["call"].asString());
        found != askers_.end() && found->second.plugin_id == plugin_id) {
      asker = found->second.ask;
    }
  }
  if (!asker) {
    done(Error{errc::kNotFound, "the call that the form belongs to has ended"});
    return;
  }
  const auto& wanted = parsed.value();
  const auto timeout = wanted["timeoutMs"];
  asker({.plugin_id = plugin_id,
         .renderer_id = wanted["rendererId"].asString(),
         .title = wanted["title"].asString(),
         .payload = common::RawJson(wanted["payload"].dump()),
         .timeout = timeout.isNumber()
                        ? std::chrono::milliseconds(static_cast<std::int64_t>(timeout.asNumber()))
                        : limits::kInputTimeout},
        [held = std::make_shared<Completion<std::string>>(std::move(done))](
            Result<common::RawJson> outcome) {
          if (!outcome) {
            (*held)(std::move(outcome).error());
            return;
          }
          (*held)(std::move(outcome).value().text());
        });
}

}  // namespace svc::agents
