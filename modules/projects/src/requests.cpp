#include "requests.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/shown_text.h"

#include "project_limits.h"

namespace svc::projects {
namespace {

using common::Json;

bool isControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; }

bool hasControl(std::string_view text) { return std::any_of(text.begin(), text.end(), isControl); }

Error invalid(std::string message) { return {errc::kInvalidInput, std::move(message)}; }

}  // namespace

Result<common::BodyReader> readBody(const http::Request& request) {
  return common::BodyReader::parse(request.body.empty() ? std::string_view("{}")
                                                        : std::string_view(request.body));
}

std::optional<std::string> stringOrNull(common::BodyReader& body, std::string_view key) {
  return body.body()[key].isNull() ? std::nullopt : body.optionalString(key);
}

Result<bool> queryFlag(const http::Request& request, std::string_view name) {
  const auto value = request.queryParameter(name);
  if (!value || *value == "false") {
    return false;
  }
  if (*value == "true") {
    return true;
  }
  return invalid(fmt::format("{}: expected true or false", name));
}

Result<std::string> readProjectName(std::string_view text) {
  const auto name = http::trimmed(text);
  if (name.empty()) {
    return invalid("the name of a project needs a character that is no blank");
  }
  if (const auto odd = common::oddCharacterOf(name)) {
    return invalid("the name of a project has no line breaks and no control characters: " + *odd);
  }
  if (const auto length = common::countCharacters(name); length > kProjectName) {
    return invalid(fmt::format("the name of a project may have {} characters, this one has {}",
                               kProjectName, length));
  }
  return std::string(name);
}

Status checkPath(std::string_view path) {
  if (path.empty()) {
    return invalid("the path of a folder is missing");
  }
  if (path.size() > kProjectPath) {
    return invalid(
        fmt::format("a path may have {} bytes, this one has {}", kProjectPath, path.size()));
  }
  if (hasControl(path)) {
    return invalid("a path has no null, no line breaks and no control characters");
  }
  if (path.front() != '/' && path != "~" && !path.starts_with("~/")) {
    return invalid(fmt::format("\"{}\" is not absolute: begin it with / or ~/", path));
  }
  return {};
}

Place readPlace(common::BodyReader& body, const Json& object, std::string_view within) {
  const auto at = [within](std::string_view key) {
    return within.empty() ? Json::Array{Json(key)} : Json::Array{Json(within), Json(key)};
  };
  const auto read = [&](std::string_view key) {
    if (object.find(key) == nullptr) {
      body.issue("Required: a string is missing", at(key));
    } else if (!object[key].isString()) {
      body.issue("Expected a string", at(key));
    }
    return object[key].asString();
  };
  Place place{.host_id = read("hostId"), .path = read("path")};
  if (object["path"].isString()) {
    if (const auto checked = checkPath(place.path); !checked) {
      body.issue(checked.error().message, at("path"));
    }
  }
  return place;
}

void respond(http::IExchange& exchange, unsigned status, const Json& members) {
  exchange.respond({.status = status,
                    .headers = {{"cache-control", "no-store"}},
                    .body = common::okEnvelope(members)});
}

void onWorker(IWorkerPool& workers, const http::ExchangePtr& exchange,
              std::function<void(http::IExchange&)> job) {
  if (!workers.submit([exchange, job = std::move(job)] { job(*exchange); })) {
    exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

}  // namespace svc::projects
