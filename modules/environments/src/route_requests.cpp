#include "route_requests.h"

#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"
#include "svc/common/shown_text.h"
#include "svc/hosts/host_failure.h"

namespace svc::environments {
namespace {

using common::BodyReader;
using common::Json;

/// Bytes; as those of projects.
constexpr std::size_t kName = 200;

Result<BodyReader> bodyOf(const http::Request& request) {
  return BodyReader::parse(request.body.empty() ? std::string_view("{}")
                                                : std::string_view(request.body));
}

/// lim.page
constexpr std::size_t kPageMax = 1000;

/// nullopt when it is absent.
Result<std::optional<std::size_t>> queryNumber(const http::Request& request, std::string_view name,
                                               std::size_t least, std::size_t most) {
  const auto text = queryText(request, name);
  if (text.empty()) {
    return std::optional<std::size_t>();
  }
  std::size_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stop != end || number < least || number > most) {
    return Error{errc::kInvalidInput, fmt::format("{}: expected a number from {} to {}, got \"{}\"",
                                                  name, least, most, text)};
  }
  return std::optional(number);
}

std::optional<std::string> editOf(BodyReader& body, const char* member) {
  const auto* const value = body.body().find(member);
  if (value == nullptr || value->isNull()) {
    return value == nullptr ? std::nullopt : std::optional(std::string());
  }
  auto text = body.optionalString(member);
  if (text && text->size() > kName) {
    body.issue(fmt::format("At most {} bytes, got {}", kName, text->size()), {Json(member)});
  }
  return text;
}

std::optional<std::string> nameOf(BodyReader& body) {
  auto name = editOf(body, "name");
  if (name) {
    name = common::onOneLine(*name);
    if (auto odd = common::oddCharacterOf(*name)) {
      body.issue(*std::move(odd), {Json("name")});
    }
  }
  return name;
}

}  // namespace

std::string queryText(const http::Request& request, std::string_view name) {
  return request.queryParameter(name).value_or(std::string{});
}

Json queryTarget(const http::Request& request) {
  auto target = Json::object();
  for (const auto& [parameter, member] :
       {std::pair("target", "type"), {"mergeBaseBranch", "mergeBaseBranch"}, {"sha", "sha"}}) {
    if (auto text = queryText(request, parameter); !text.empty()) {
      target.set(member, std::move(text));
    }
  }
  return target;
}

Result<Json> readListQuery(const http::Request& request, std::size_t most, std::size_t normal) {
  auto query = Json::object().set("limit", static_cast<std::int64_t>(normal));
  if (auto text = queryText(request, "query"); !text.empty()) {
    query.set("query", std::move(text));
  }
  const auto limit = queryNumber(request, "limit", 1, most);
  if (!limit) {
    return limit.error();
  }
  if (limit.value()) {
    query.set("limit", static_cast<std::int64_t>(*limit.value()));
  }
  return query;
}

Result<Page> readPage(const http::Request& request) {
  const auto limit = queryNumber(request, "limit", 1, kPageMax);
  const auto offset = queryNumber(request, "offset", 0, std::numeric_limits<std::int32_t>::max());
  if (!limit || !offset) {
    return limit ? offset.error() : limit.error();
  }
  Page page;
  page.limit = limit.value().value_or(page.limit);
  page.offset = offset.value().value_or(page.offset);
  return page;
}

Result<Edit> readEdit(const http::Request& request) {
  auto body = bodyOf(request);
  if (!body) {
    return std::move(body).error();
  }
  Edit edit{.name = nameOf(body.value()),
            .merge_base_branch = editOf(body.value(), "mergeBaseBranch")};
  if (auto status = body.value().finish(); !status) {
    return std::move(status).error();
  }
  return edit;
}

Result<Json> readPatchRequest(const http::Request& request) {
  auto body = bodyOf(request);
  if (!body) {
    return std::move(body).error();
  }
  const auto paths = body.value().requiredStrings("paths");
  if (paths.size() > limits::kDiffPatches) {
    body.value().issue(fmt::format("At most {} at a time (limit diffPatches), got {}",
                                   limits::kDiffPatches, paths.size()),
                       {Json("paths")});
  }
  if (!body.value().body()["target"].isObject()) {
    body.value().issue("Required: { type, mergeBaseBranch?, sha? }", {Json("target")});
  }
  if (auto status = body.value().finish(); !status) {
    return std::move(status).error();
  }
  return Json::object()
      .set("paths", body.value().body()["paths"])
      .set("target", body.value().body()["target"]);
}

Result<std::string> readCommitMessage(const http::Request& request) {
  auto body = bodyOf(request);
  if (!body) {
    return std::move(body).error();
  }
  auto message = body.value().body()["message"].isNull() ? std::nullopt
                                                         : body.value().optionalString("message");
  if (auto status = body.value().finish(); !status) {
    return std::move(status).error();
  }
  return std::move(message).value_or(std::string());
}

void respond(const http::ExchangePtr& exchange, const Json& members) {
  exchange->respond({.status = 200,
                     .headers = {{"cache-control", "no-store"}},
                     .body = common::okEnvelope(members)});
}

Error machineFailure(Error error) {
  for (const auto code : {errc::kInvalidInput, errc::kNotFound, errc::kConflict, errc::kTooLarge,
                          errc::kOverloaded, errc::kForbidden}) {
    if (error.code == code) {
      return error;
    }
  }
  return hosts::hostFailure(std::move(error));
}

Json notApplicable(const std::string& why) {
  return Json::object()
      .set("outcome", "not_applicable")
      .set("reason", "non_git_environment")
      .set("message", why);
}

}  // namespace svc::environments
