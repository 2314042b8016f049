#include "sdk_part.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sdk_calls.h"
#include "sdkclient_scripts.h"

namespace svc::sdkclient {

plugins::ApiPart sdkPart(http::IHttpServer& server, ServerHostId host_id) {
  return {.name = "sdk",
          .script = scripts::kSdk,
          .functions = [&server, host_id = std::move(host_id)](
                           const std::weak_ptr<plugins::IGeneration>& weak) {
            const auto generation = weak.lock();
            auto calls = std::make_shared<SdkCalls>(
                server, generation ? generation->pluginId() : std::string());
            return script::hostFunctions({
                {.name = "sdk.request",
                 .async =
                     [calls](const std::string& argument, Completion<std::string> done) {
                       calls->send(argument, std::move(done));
                     }},
                {.name = "sdk.cancel",
                 .sync =
                     [calls](const std::string& call_id) {
                       calls->cancel(call_id);
                       return Result<std::string>(std::string());
                     }},
                {.name = "sdk.hostId",
                 .sync =
                     [host_id](const std::string&) {
                       const auto id = host_id();
                       return Result<std::string>(id.empty() ? "null" : common::jsonString(id));
                     }},
            });
          }};
}

}  // namespace svc::sdkclient
