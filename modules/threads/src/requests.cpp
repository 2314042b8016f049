#include "requests.h"

#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/shown_text.h"

#include "input.h"
#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;

namespace {

std::optional<std::int64_t> numberOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(number)
             : std::nullopt;
}

/// null clears: it reads as an empty text.
std::optional<std::string> clearable(common::BodyReader& body, std::string_view key) {
  const auto* value = body.body().find(key);
  if (value != nullptr && value->isNull()) {
    return std::string();
  }
  return body.optionalString(key);
}

}  // namespace

Result<common::BodyReader> readBody(const http::Request& request) {
  return common::BodyReader::parse(request.body.empty() ? std::string_view("{}")
                                                        : std::string_view(request.body));
}

Result<std::optional<bool>> queryFlag(const http::Request& request, std::string_view name) {
  const auto value = request.queryParameter(name);
  if (!value || value->empty()) {
    return std::optional<bool>();
  }
  if (*value == "true" || *value == "false") {
    return std::optional(*value == "true");
  }
  return Error{errc::kInvalidInput, fmt::format("{}: expected true or false", name)};
}

Result<std::optional<std::int64_t>> queryNumber(const http::Request& request, std::string_view name,
                                                std::int64_t least, std::int64_t most) {
  const auto value = request.queryParameter(name);
  if (!value || value->empty()) {
    return std::optional<std::int64_t>();
  }
  const auto number = numberOf(*value);
  if (!number || *number < least || *number > most) {
    return Error{errc::kInvalidInput, fmt::format("{}: expected a number from {} to {}, not {}",
                                                  name, least, most, *value)};
  }
  return number;
}

std::optional<std::int64_t> bodyNumber(common::BodyReader& body, std::string_view key) {
  const auto& value = body.body()[key];
  if (value.isNull()) {
    return std::nullopt;
  }
  const auto number =
      value.isInteger() ? std::optional(value.asInteger()) : numberOf(value.asString());
  if (!number) {
    body.issue("Expected a whole number", {Json(key)});
  }
  return number;
}

std::vector<std::string> queryList(const http::Request& request, std::string_view name) {
  std::vector<std::string> out;
  // Each value is read as a query of its own, which decodes it.
  std::size_t at = 0;
  while (at <= request.query.size()) {
    const auto end = std::min(request.query.find('&', at), request.query.size());
    http::Request one;
    one.query = request.query.substr(at, end - at);
    if (const auto value = one.queryParameter(name)) {
      std::size_t begin = 0;
      while (begin <= value->size()) {
        const auto comma = std::min(value->find(',', begin), value->size());
        if (comma > begin) {
          out.push_back(value->substr(begin, comma - begin));
        }
        begin = comma + 1;
      }
    }
    at = end + 1;
  }
  return out;
}

Result<ThreadFilter> readFilter(const http::Request& request) {
  ThreadFilter filter{.project_id = request.queryParameter("projectId"),
                      .parent_thread_id = request.queryParameter("parentThreadId"),
                      .source_thread_id = request.queryParameter("sourceThreadId"),
                      .origin_kind = request.queryParameter("originKind"),
                      .origin_plugin_id = request.queryParameter("originPluginId"),
                      .section_id = request.queryParameter("sectionId")};
  struct Flag {
    const char* name;
    std::optional<bool> value{};
  };
  Flag flags[] = {{"archived"}, {"hasParent"}, {"unsectioned"}, {"includeHidden"}};
  for (auto& flag : flags) {
    auto value = queryFlag(request, flag.name);
    if (!value) {
      return std::move(value).error();
    }
    flag.value = value.value();
  }
  filter.archived = flags[0].value;
  filter.has_parent = flags[1].value;
  filter.unsectioned = flags[2].value.value_or(false);
  filter.include_hidden = flags[3].value.value_or(false);
  constexpr std::int64_t kMost = kPageMax;
  const auto limit = queryNumber(request, "limit", 1, kMost);
  const auto offset = queryNumber(request, "offset", 0, std::numeric_limits<std::int32_t>::max());
  if (!limit || !offset) {
    return limit ? offset.error() : limit.error();
  }
  // Without a limit callers take the answer for complete.
  filter.limit = static_cast<std::size_t>(limit.value().value_or(kMost));
  filter.offset = static_cast<std::size_t>(offset.value().value_or(0));
  return filter;
}

Result<ThreadPatch> readPatch(const http::Request& request) {
  auto parsed_body = readBody(request);
  if (!parsed_body) {
    return std::move(parsed_body).error();
  }
  auto& body = parsed_body.value();
  ThreadPatch patch{.section_id = clearable(body, "sectionId"),
                    .parent_thread_id = clearable(body, "parentThreadId"),
                    .model = clearable(body, "model"),
                    .reasoning_level = clearable(body, "reasoningLevel")};
  checkReasoningLevel(body, patch.reasoning_level.value_or(std::string()));
  if (const auto* title = body.body().find("title")) {
    patch.title = title->isNull() ? std::string() : readName(body, "title", kTitle);
  }
  if (const auto visibility = body.optionalString("visibility")) {
    if (*visibility != "visible" && *visibility != "hidden") {
      body.issue("Expected visible or hidden", {Json("visibility")});
    }
    patch.hidden = *visibility == "hidden";
  }
  if (auto checked = body.finish(); !checked) {
    return std::move(checked).error();
  }
  return patch;
}

std::string readName(common::BodyReader& body, std::string_view key, std::size_t characters) {
  auto name = common::onOneLine(body.requiredString(key));
  if (!body.body()[key].isString()) {
    return name;
  }
  if (name.empty()) {
    body.issue("Expected a text that is not blank", {Json(key)});
  } else if (auto odd = common::oddCharacterOf(name)) {
    body.issue(*std::move(odd), {Json(key)});
  } else if (const auto length = common::countCharacters(name); length > characters) {
    body.issue(fmt::format("it may have {} characters, this one has {}", characters, length),
               {Json(key)});
  }
  return name;
}

void respond(http::IExchange& exchange, unsigned status, const Json& members) {
  exchange.respond({.status = status,
                    .headers = {{"cache-control", "no-store"}},
                    .body = common::okEnvelope(members)});
}

void answer(http::IExchange& exchange, unsigned status, const char* member, Result<Json> record) {
  if (!record) {
    return exchange.fail(record.error());
  }
  respond(exchange, status, Json::object().set(member, std::move(record).value()));
}

void answer(http::IExchange& exchange, Result<Json> members) {
  if (!members) {
    return exchange.fail(members.error());
  }
  respond(exchange, 200, members.value());
}

void onWorker(IWorkerPool& workers, const http::ExchangePtr& exchange,
              std::function<void(const http::ExchangePtr&)> job) {
  if (!workers.submit([exchange, job = std::move(job)] { job(exchange); })) {
    exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

}  // namespace svc::threads
