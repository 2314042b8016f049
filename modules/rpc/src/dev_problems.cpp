#include "dev_problems.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/json.h"

namespace svc::rpc {

using common::BodyReader;
using common::Json;

Result<std::vector<plugins::DevProblem>> readDevProblems(const std::string& text) {
  auto parsed = BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto& list = body.body()["problems"];
  if (body.body().isObject() && !list.isArray()) {
    body.issue("Expected an array of problems; an empty one clears them", {Json("problems")});
  }
  if (list.items().size() > kDevProblems) {
    body.issue(fmt::format("Expected at most {} problems (limit devProblems), got {}", kDevProblems,
                           list.items().size()),
               {Json("problems")});
  }
  std::vector<plugins::DevProblem> out;
  const auto count = std::min(list.items().size(), kDevProblems);
  for (std::size_t index = 0; index < count; ++index) {
    const auto& item = list.items()[index];
    const auto at = Json(static_cast<std::int64_t>(index));
    const auto& kind = item["kind"].asString();
    if (kind != "app" && kind != "host") {
      body.issue(R"(Expected "app" or "host")", {Json("problems"), at, Json("kind")});
    }
    if (item["message"].asString().empty()) {
      body.issue("Expected a non-empty string", {Json("problems"), at, Json("message")});
    }
    out.push_back({kind == "host" ? plugins::BundleTarget::kHost : plugins::BundleTarget::kApp,
                   item["message"].asString()});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return out;
}

}  // namespace svc::rpc
