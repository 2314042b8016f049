#include "mentions.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

#include "bounded_invoke.h"

namespace svc::agents {
namespace {

using common::Json;
using common::RawJson;

constexpr std::array<std::string_view, 5> kTriggers{"@", "#", "$", "!", "~"};
constexpr std::string_view kNoItems = "[]";

/// One search; answers when the last provider has answered and lets it go. Io thread.
struct Search {
  explicit Search(Completion<RawJson> answer) : done(std::move(answer)) {}
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search() {
    std::string text = "[";
    for (const auto& [head, items] : groups) {
      text += text.size() > 1 ? "," : "";
      // The head is an object: its closing brace makes room for the items, which stay bytes.
      text.append(head, 0, head.size() - 1).append(R"(,"items":)").append(items).append("}");
    }
    done(RawJson(text + "]"));
  }

  struct Group {
    std::string head;
    std::string items{kNoItems};
  };
  Completion<RawJson> done;
  std::vector<Group> groups;
};

bool wanted(const MentionQuery& query, const std::string& plugin_id, const Json& provider) {
  if (!query.plugin_id.empty() &&
      (plugin_id != query.plugin_id || provider["id"].asString() != query.provider_id)) {
    return false;
  }
  const auto& triggers = provider["triggers"].items();
  return std::any_of(triggers.begin(), triggers.end(),
                     [&query](const Json& trigger) { return trigger.asString() == query.trigger; });
}

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

std::string queryJson(const MentionQuery& query) {
  return Json::object()
      .set("trigger", query.trigger)
      .set("query", query.text)
      .set("projectId", orNull(query.project_id))
      .set("threadId", orNull(query.thread_id))
      .dump();
}

Error late(const std::string& provider_id, const char* limit, std::chrono::milliseconds bound) {
  return {errc::kTimeout, fmt::format("mention provider \"{}\" did not answer within {} ms "
                                      "(limit {})",
                                      provider_id, bound.count(), limit)};
}

Result<MentionQuery> readQuery(const http::Request& request) {
  const auto text = [&request](std::string_view name) {
    return request.queryParameter(name).value_or("");
  };
  MentionQuery query{.trigger = request.queryParameter("trigger").value_or("@"),
                     .text = text("q"),
                     .project_id = text("projectId"),
                     .thread_id = text("threadId"),
                     .plugin_id = text("pluginId"),
                     .provider_id = text("providerId")};
  if (std::find(kTriggers.begin(), kTriggers.end(), query.trigger) == kTriggers.end()) {
    return Error{errc::kInvalidInput, fmt::format("the trigger \"{}\" is not one of {}",
                                                  query.trigger, fmt::join(kTriggers, " "))};
  }
  if (query.plugin_id.empty() != query.provider_id.empty()) {
    return Error{errc::kInvalidInput,
                 "pluginId and providerId name one provider together: give "
                 "both, or neither"};
  }
  return query;
}

}  // namespace

void Mentions::search(const MentionQuery& query, Completion<RawJson> done) {
  auto search = std::make_shared<Search>(std::move(done));
  if (query.text.empty()) {
    return;
  }
  struct Question {
    plugins::GenerationPtr generation;
    std::string provider_id;
  };
  std::vector<Question> questions;
  for (const auto& generation : loaded_.all()) {
    const auto registration = generation->registration("mention-providers");
    for (const auto& provider : registration.items()) {
      if (wanted(query, generation->pluginId(), provider)) {
        search->groups.push_back({Json::object()
                                      .set("pluginId", generation->pluginId())
                                      .set("providerId", provider["id"])
                                      .set("label", provider["label"])
                                      .dump()});
        questions.push_back({generation, provider["id"].asString()});
      }
    }
  }
  for (std::size_t index = 0; index < questions.size(); ++index) {
    const auto& [generation, provider_id] = questions[index];
    invokeBounded(reactor_, *generation, "mention:" + provider_id,
                  {.function = "mentions.search", .meta = provider_id, .body = queryJson(query)},
                  limits::kMentionSearch,
                  late(provider_id, "mentionSearch", limits::kMentionSearch),
                  [search, index](Result<std::string> items) {
                    if (items) {
                      search->groups[index].items = std::move(items).value();
                    }
                  });
  }
}

void Mentions::resolve(const std::string& plugin_id, const std::string& provider_id,
                       const std::string& item_id, Completion<RawJson> done) {
  auto answer = std::make_shared<Completion<RawJson>>(std::move(done));
  auto ask = [this, provider_id, item_id, answer](Result<plugins::GenerationPtr> generation) {
    if (!generation) {
      (*answer)(std::move(generation).error());
      return;
    }
    invokeBounded(
        reactor_, *generation.value(), "mention:" + provider_id,
        {.function = "mentions.resolve", .meta = provider_id, .body = common::jsonString(item_id)},
        limits::kMentionResolve, late(provider_id, "mentionResolve", limits::kMentionResolve),
        [answer](Result<std::string> resolved) {
          if (resolved) {
            (*answer)(RawJson(std::move(resolved).value()));
          } else {
            (*answer)(std::move(resolved).error());
          }
        });
  };
  // A lookup that waited for a reload is answered elsewhere.
  loaded_.acquire(plugin_id, [&reactor = reactor_,
                              ask = std::move(ask)](Result<plugins::GenerationPtr> generation) {
    reactor.post([ask, generation = std::move(generation)]() mutable { ask(generation); });
  });
}

Status MentionRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "GET", .pattern = "/api/v1/plugins/mentions/search"},
                            [this](const http::ExchangePtr& exchange) { handle(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void MentionRoute::handle(const http::ExchangePtr& exchange) {
  auto query = readQuery(exchange->request());
  if (!query) {
    exchange->fail(query.error());
    return;
  }
  mentions_.search(query.value(), [exchange](Result<RawJson> groups) {
    if (!groups) {
      exchange->fail(groups.error());
      return;
    }
    http::Response response;
    response.body = common::okEnvelope("groups", groups.value());
    exchange->respond(std::move(response));
  });
}

}  // namespace svc::agents
