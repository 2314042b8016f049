#include "skill_routes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/kernel/async.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/tree_transfer.h"

namespace svc::skills {
namespace {

using common::Json;
using http::ExchangePtr;

void respondOk(http::IExchange& exchange, const Json& members) {
  exchange.respond(
      {.headers = {{"cache-control", "no-store"}}, .body = common::okEnvelope(members)});
}

/// Which skill of which place a request is about.
struct Target {
  std::string project_id{};
  std::string environment_id{};
  std::string skill_id{};
};

Target targetOf(const http::Request& request) {
  return {.project_id = request.queryParameter("projectId").value_or(""),
          .environment_id = request.queryParameter("environmentId").value_or(""),
          .skill_id = request.queryParameter("skillId").value_or("")};
}

Error required(const char* member) {
  Error error{errc::kInvalidInput,
              fmt::format("the request is not valid: {}: Required: a string is missing", member)};
  auto issues = Json::array();
  issues.push(Json::object()
                  .set("message", "Required: a string is missing")
                  .set("path", Json::Array{Json(member)}));
  error.issues = issues.dump();
  return error;
}

struct Update {
  Target target;
  std::string content;
  std::string revision;
};

/// The skill that is to be changed.
Target targetOf(common::BodyReader& body) {
  const auto optional = [&body](std::string_view key) {
    return body.body()[key].isNull() ? std::string() : body.optionalString(key).value_or("");
  };
  return {.project_id = optional("projectId"),
          .environment_id = optional("environmentId"),
          .skill_id = body.requiredString("skillId")};
}

Result<Target> removalOf(const std::string& text) {
  auto body = common::BodyReader::parse(text.empty() ? std::string_view("{}") : text);
  if (!body) {
    return std::move(body).error();
  }
  auto target = targetOf(body.value());
  if (auto status = body.value().finish(); !status) {
    return std::move(status).error();
  }
  return target;
}

Result<Update> updateOf(const std::string& text) {
  auto parsed = common::BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  Update update{.target = targetOf(body),
                .content = body.requiredString("content"),
                .revision = body.requiredString("revision")};
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return update;
}

Json filesJson(const Skill& skill) {
  auto files = Json::array();
  for (const auto& file : skill.tree.files) {
    files.push(file.path);
  }
  return Json::object().set("files", std::move(files)).set("truncated", false);
}

void respondContent(http::IExchange& exchange, const std::string& path,
                    const Result<std::string>& text) {
  if (!text) {
    exchange.fail(text.error());
  } else if (!common::isUtf8(text.value())) {
    exchange.fail({errc::kInvalidArgument,
                   fmt::format("{} is no text ({} bytes)", path, text.value().size())});
  } else {
    respondOk(exchange, Json::object()
                            .set("content", text.value())
                            .set("revision", skillfiles::digestOf(text.value())));
  }
}

}  // namespace

struct SkillRoutes::State : std::enable_shared_from_this<SkillRoutes::State> {
  using Use = UniqueFunction<void(CataloguePtr catalogue)>;

  explicit State(Collaborators given) : collaborators(std::move(given)) {}

  /// The catalogue of a place, read anew; on main.
  void withCatalogue(const ExchangePtr& exchange, const Target& target, Use use) {
    collaborators.main.post(
        [self = shared_from_this(), exchange, target, use = std::move(use)]() mutable {
          auto& shelf = *self->collaborators.shelf;
          shelf.place(target.project_id, target.environment_id,
                      [self, exchange, use = std::move(use)](Result<Place> place) mutable {
                        if (!place) {
                          exchange->fail(place.error());
                          return;
                        }
                        self->collaborators.shelf->read(
                            std::move(place).value(),
                            [exchange, use = std::move(use)](Result<CataloguePtr> found) mutable {
                              if (!found) {
                                exchange->fail(found.error());
                              } else {
                                use(std::move(found).value());
                              }
                            });
                      });
        });
  }

  /// One skill of it; the catalogue lives as long as the skill is used.
  void withSkill(const ExchangePtr& exchange, const Target& target,
                 UniqueFunction<void(CataloguePtr catalogue, const Skill& skill)> use) {
    if (target.skill_id.empty()) {
      exchange->fail(required("skillId"));
      return;
    }
    withCatalogue(
        exchange, target,
        [exchange, id = target.skill_id, use = std::move(use)](CataloguePtr catalogue) mutable {
          const auto* const skill = catalogue->find(id);
          if (skill == nullptr) {
            exchange->fail({errc::kNotFound, fmt::format("there is no skill \"{}\"", id)});
            return;
          }
          use(std::move(catalogue), *skill);
        });
  }

  void list(const ExchangePtr& exchange) {
    withCatalogue(
        exchange, targetOf(exchange->request()),
        [exchange](const CataloguePtr& catalogue) { respondOk(*exchange, toJson(*catalogue)); });
  }

  void listFiles(const ExchangePtr& exchange) {
    withSkill(exchange, targetOf(exchange->request()),
              [exchange](const CataloguePtr&, const Skill& skill) {
                respondOk(*exchange, filesJson(skill));
              });
  }

  void content(const ExchangePtr& exchange) {
    auto path = exchange->request().queryParameter("path").value_or("");
    if (path.empty()) {
      exchange->fail(required("path"));
      return;
    }
    withSkill(exchange, targetOf(exchange->request()),
              [self = shared_from_this(), exchange, path](const CataloguePtr&, const Skill& skill) {
                self->collaborators.shelf->content(
                    skill, path, [exchange, path](const Result<std::string>& text) {
                      respondContent(*exchange, path, text);
                    });
              });
  }

  /// Does something on a worker that changes files; the catalogue is read again afterwards.
  void change(const ExchangePtr& exchange, Task job) {
    const bool taken =
        collaborators.workers.submit([self = shared_from_this(), job = std::move(job)]() mutable {
          job();
          self->collaborators.main.post([self] { self->collaborators.shelf->refresh(); });
        });
    if (!taken) {
      exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
    }
  }

  void update(const ExchangePtr& exchange) {
    auto parsed = updateOf(exchange->request().body);
    if (!parsed) {
      exchange->fail(parsed.error());
      return;
    }
    const auto target = parsed.value().target;
    withSkill(exchange, target,
              [self = shared_from_this(), exchange, update = std::move(parsed).value()](
                  const CataloguePtr& catalogue, const Skill& skill) {
                self->change(exchange, [self, exchange, update, catalogue, &skill] {
                  const auto saved = guarded(
                      [&] { return self->changes.update(skill, update.content, update.revision); });
                  if (!saved) {
                    exchange->fail(saved.error());
                    return;
                  }
                  respondOk(*exchange, Json::object()
                                           .set("filePath", saved.value().file.string())
                                           .set("revision", saved.value().revision));
                });
              });
  }

  void remove(const ExchangePtr& exchange) {
    const auto target = removalOf(exchange->request().body);
    if (!target) {
      exchange->fail(target.error());
      return;
    }
    withSkill(
        exchange, target.value(),
        [self = shared_from_this(), exchange](const CataloguePtr& catalogue, const Skill& skill) {
          self->change(exchange, [self, exchange, catalogue, &skill] {
            const auto removed = guarded([&] { return self->changes.remove(skill); });
            if (!removed) {
              exchange->fail(removed.error());
              return;
            }
            respondOk(*exchange, Json::object().set("deletedPath", removed.value().string()));
          });
        });
  }

  void tree(const ExchangePtr& exchange) {
    auto known = collaborators.shelf->tree(exchange->request().parameter("hash"));
    if (!known) {
      exchange->fail({errc::kNotFound, "there is no such tree, or it is another one now"});
      return;
    }
    if (!collaborators.workers.submit([exchange, known = *std::move(known)] {
          auto text = guarded([&] { return skillfiles::packTree(known.directory, known.tree); });
          if (!text) {
            exchange->fail(text.error());
          } else {
            exchange->respond(
                {.headers = {{"cache-control", "no-store"}}, .body = std::move(text).value()});
          }
        })) {
      exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
    }
  }

  /// As tree(), for the daemon of a machine.
  void treeForHost(const ExchangePtr& exchange) {
    constexpr std::string_view kScheme = "bearer ";
    const auto* const header = exchange->request().header("authorization");
    const bool sent =
        header != nullptr && header->size() > kScheme.size() &&
        http::equalsIgnoreCase(std::string_view(*header).substr(0, kScheme.size()), kScheme);
    const auto host =
        sent ? collaborators.hosts->authenticate(
                   http::trimmed(std::string_view(*header).substr(kScheme.size())))
             : Result<std::string>(Error{errc::kUnauthorized,
                                         "a host key is needed: Authorization: Bearer <host key>"});
    if (!host) {
      exchange->fail(host.error());
      return;
    }
    tree(exchange);
  }

  const Collaborators collaborators;
  Changes changes;
};

SkillRoutes::SkillRoutes(Collaborators collaborators)
    : state_(std::make_shared<State>(std::move(collaborators))) {}

Status SkillRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    void (State::*handle)(const ExchangePtr& exchange);
    http::Guard guard = http::Guard::kLocal;
  };
  std::vector<Entry> entries{{"GET", "/api/v1/skills", &State::list},
                             {"PUT", "/api/v1/skills", &State::update},
                             {"DELETE", "/api/v1/skills", &State::remove},
                             {"GET", "/api/v1/skills/files", &State::listFiles},
                             {"GET", "/api/v1/skills/content", &State::content},
                             {"GET", "/api/v1/skills/tree/:hash", &State::tree}};
  if (state_->collaborators.hosts != nullptr) {
    entries.push_back(
        {"GET", "/internal/skills/tree/:hash", &State::treeForHost, http::Guard::kNone});
  }
  for (const auto& entry : entries) {
    auto route =
        server.route({.method = entry.method, .pattern = entry.pattern, .guard = entry.guard},
                     [state = state_, handle = entry.handle](const ExchangePtr& exchange) {
                       ((*state).*handle)(exchange);
                     });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

}  // namespace svc::skills
