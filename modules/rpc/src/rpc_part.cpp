#include "rpc_part.h"

#include <memory>
#include <string>
#include <utility>

#include "svc/common/json.h"

#include "rpc_scripts.h"

namespace svc::rpc {
namespace {

using Generation = std::weak_ptr<plugins::IGeneration>;

Result<std::string> registered(const Generation& generation, const std::string& methods) {
  auto list = common::Json::parse(methods);
  if (!list) {
    return std::move(list).error();
  }
  if (const auto held = generation.lock()) {
    held->setRegistration("rpc", std::move(list).value());
  }
  return std::string();
}

Result<std::string> addProblem(const Generation& generation, const std::string& text) {
  const auto problem = common::Json::parse(text);
  if (!problem) {
    return problem.error();
  }
  if (const auto held = generation.lock()) {
    held->addProblem({problem.value()["code"].asString(), problem.value()["message"].asString()});
  }
  return std::string();
}

std::vector<script::HostFunction> functions(const Generation& generation) {
  return {
      {.name = "rpc.registered",
       .sync =
           [generation](const std::string& methods) { return registered(generation, methods); }},
      {.name = "rpc.problem",
       .sync =
           [generation](const std::string& problem) { return addProblem(generation, problem); }},
  };
}

}  // namespace

plugins::ApiPart rpcPart() {
  return {.name = "rpc", .script = scripts::kRpc, .functions = functions};
}

}  // namespace svc::rpc
