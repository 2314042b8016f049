#include "cli_part.h"

#include <memory>
#include <string>
#include <utility>

#include "svc/common/json.h"

#include "cli_scripts.h"

namespace svc::cli {
namespace {

using Generation = std::weak_ptr<plugins::IGeneration>;

Result<std::string> registered(const Generation& generation, const std::string& metadata) {
  auto registration = common::Json::parse(metadata);
  if (!registration) {
    return std::move(registration).error();
  }
  if (const auto held = generation.lock()) {
    held->setRegistration("cli", std::move(registration).value());
  }
  return std::string();
}

}  // namespace

plugins::ApiPart cliPart(std::function<void()> on_registered) {
  return {.name = "cli",
          .script = scripts::kCli,
          .functions = [on_registered = std::move(on_registered)](const Generation& generation) {
            return script::hostFunctions({
                {.name = "cli.registered",
                 .sync =
                     [generation, on_registered](const std::string& metadata) {
                       auto result = registered(generation, metadata);
                       on_registered();
                       return result;
                     }},
            });
          }};
}

}  // namespace svc::cli
