#include "outfitter.h"

#include <utility>

namespace svc::providers {

using common::Json;

Json environmentOf(const SessionRequest& request) {
  auto env = Json::object().set("SVC_THREAD_ID", request.thread_id);
  if (const auto& project = request.context.project.id; !project.empty()) {
    env.set("SVC_PROJECT_ID", project);
  }
  if (const auto& environment = request.context.environment.id; !environment.empty()) {
    env.set("SVC_ENVIRONMENT_ID", environment);
  }
  return env;
}

void Outfitter::prepare(const SessionRequest& request, Completion<Outfit> done) {
  done(Outfit{.env = environmentOf(request)});
}

}  // namespace svc::providers
