#include "outfitter.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/hostprotocol/agent_limits.h"
#include "svc/kernel/async.h"
#include "svc/skillfiles/skill.h"

namespace svc::providers {

using common::Json;

namespace {

constexpr const char* kMcpPath = "/api/v1/mcp";
constexpr const char* kStandard =
    "You work in a thread of svc, a service of plugins. Its command line is `svc` (its path is in "
    "SVC_CLI), "
    "which knows this thread and its project by the variables SVC_THREAD_ID and SVC_PROJECT_ID. "
    "The tools of plugins "
    "come from the MCP server \"svc\".";

/// A relative address is the server's, as the machine reaches it.
Json mcpServer(const std::string& secret) {
  const auto bearer = Json::object().set("name", "Authorization").set("value", "Bearer " + secret);
  return Json::object()
      .set("type", "http")
      .set("name", "svc")
      .set("url", kMcpPath)
      .set("headers", Json::Array{bearer});
}

/// Plugins choose among their own; what is of nobody is for all.
bool isChosen(const skills::Skill& skill, const agents::ToolSessionPtr& session) {
  if (skill.plugin_id.empty() || !session) {
    return true;
  }
  const auto& chosen = session->skills();
  return std::any_of(chosen.begin(), chosen.end(), [&skill](const auto& of) {
    return of.plugin_id == skill.plugin_id &&
           std::find(of.names.begin(), of.names.end(), skill.name) != of.names.end();
  });
}

}  // namespace

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

agents::AgentContext Outfitter::contextOf(const SessionRequest& request) const {
  auto context = request.context;
  context.thread.id = request.thread_id;
  context.host.id = request.host_id;
  if (const auto host = with_.machines.find(request.host_id)) {
    context.host.name = host->name;
  }
  if (const auto project =
          with_.projects == nullptr ? std::nullopt : with_.projects->find(context.project.id)) {
    context.project.name = project->name;
    context.project.git_remote_url = project->git_remote_url;
    context.project.kind = project->id == projects::kPersonalProject ? "personal" : "standard";
  }
  context.provider.id = request.provider_id;
  context.provider.model = request.execution["model"].asString();
  context.provider.capabilities = with_.capabilities(request.provider_id, request.host_id);
  return context;
}

void Outfitter::prepare(const SessionRequest& request, Completion<Outfit> done) {
  auto course = std::make_shared<Course>(Course{.request = request, .done = std::move(done)});
  with_.main.post([self = shared_from_this(), course] { self->askPlugins(course); });
}

void Outfitter::askPlugins(const CoursePtr& course) {
  if (with_.tools == nullptr) {
    return readSkills(course);
  }
  with_.tools->open({.context = contextOf(course->request), .service_instructions = kStandard},
                    [self = shared_from_this(), course](Result<agents::ToolSessionPtr> session) {
                      // Without it the agent has the tools of everybody outside of threads.
                      if (session) {
                        course->session = std::move(session).value();
                      }
                      self->readSkills(course);
                    });
}

void Outfitter::readSkills(const CoursePtr& course) {
  const auto host = with_.machines.find(course->request.host_id);
  if (with_.skills == nullptr || !host) {
    return finish(course);
  }
  if (!host->is_server) {
    return readSkillsFor(course);
  }
  with_.skills->read({.project = course->request.cwd},
                     [self = shared_from_this(), course](Result<skills::CataloguePtr> catalogue) {
                       if (!catalogue) {
                         return self->finish(course);
                       }
                       self->stage(course, *catalogue.value());
                     });
}

/// For a machine that is not the server's: those of the project are there.
void Outfitter::readSkillsFor(const CoursePtr& course) {
  const auto& context = course->request.context;
  with_.skills->place(context.project.id, context.environment.id,
                      [self = shared_from_this(), course](Result<skills::Place> place) {
                        const bool there = place && place.value().remote;
                        self->with_.skills->read(
                            there ? std::move(place).value() : skills::Place{},
                            [self, course](Result<skills::CataloguePtr> catalogue) {
                              if (catalogue) {
                                send(course, *catalogue.value());
                              }
                              self->finish(course);
                            });
                      });
}

void Outfitter::send(const CoursePtr& course, const skills::Catalogue& catalogue) {
  auto& outfit = course->outfit;
  std::uint64_t bytes = 0;
  for (const auto& skill : catalogue.skills) {
    if (!skill.offered || !isChosen(skill, course->session)) {
      continue;
    }
    if (skill.remote) {
      outfit.skills.push_back(
          {skill.name, skill.description, (skill.directory / skillfiles::kSkillFile).string()});
      continue;
    }
    // What is beyond the limits is left to MCP.
    if (outfit.sent_skills.size() < limits::kAgentSkills &&
        bytes + skill.tree.bytes <= limits::kAgentSkillBytes) {
      bytes += skill.tree.bytes;
      outfit.sent_skills.push_back({skill.name, skill.description, skill.tree.digest});
    }
  }
}

void Outfitter::stage(const CoursePtr& course, const skills::Catalogue& catalogue) {
  std::vector<skillfiles::StagedSkill> wanted;
  for (const auto& skill : catalogue.skills) {
    if (skill.offered && isChosen(skill, course->session)) {
      wanted.push_back({.name = skill.name,
                        .description = skill.description,
                        .tree = skill.tree,
                        .read = [directory = skill.directory](const skillfiles::SkillFile& file) {
                          return skillfiles::readTreeFile(directory, file.path);
                        }});
    }
  }
  if (wanted.empty()) {
    return finish(course);
  }
  const auto skills =
      std::make_shared<const std::vector<skillfiles::StagedSkill>>(std::move(wanted));
  runOnWorker<skillfiles::Stage>(
      with_.workers, with_.main, [stages = with_.stages, skills] { return stages->stage(*skills); },
      [self = shared_from_this(), course, skills](const Result<skillfiles::Stage>& staged) {
        // Skills that change while they are copied are missed once; MCP still has them.
        if (staged) {
          const auto& directory = staged.value().directory;
          auto& outfit = course->outfit;
          outfit.additional_directories.push(directory.string());
          outfit.kept.emplace_back([use = staged.value().use]() mutable { use.reset(); });
          for (const auto& skill : *skills) {
            outfit.skills.push_back({skill.name, skill.description,
                                     (directory / skill.name / skillfiles::kSkillFile).string()});
          }
        }
        self->finish(course);
      });
}

std::function<void(Json, agents::AgentContext, Completion<void>)> Outfitter::renewalOf(
    const CoursePtr& course) {
  return [weak = weak_from_this(), session = course->session,
          begun = std::make_shared<const SessionRequest>(course->request)](
             Json execution, agents::AgentContext context, Completion<void> done) {
    const auto self = weak.lock();
    if (!self) {
      return;
    }
    auto request = *begun;
    request.execution = std::move(execution);
    request.context = std::move(context);
    session->renew(self->contextOf(request), std::move(done));
  };
}

void Outfitter::finish(const CoursePtr& course) {
  const auto& request = course->request;
  auto& outfit = course->outfit;
  outfit.env = environmentOf(request);
  const auto host = with_.machines.find(request.host_id);
  outfit.on_server = host && host->is_server;
  if (outfit.on_server && !with_.data_directory.empty()) {
    outfit.env.set("SVC_DATA_DIR", with_.data_directory);
  }
  if (with_.tokens != nullptr && with_.server.serves("POST", kMcpPath)) {
    auto token = with_.tokens->mint({.thread_id = request.thread_id,
                                     .project_id = request.context.project.id,
                                     .tools = course->session});
    outfit.env.set("SVC_THREAD_TOKEN", token.secret);
    outfit.mcp_servers.push(mcpServer(token.secret));
    outfit.kept.push_back(std::move(token.handle));
    outfit.abort_calls = std::move(token.abort_calls);
  }
  if (course->session) {
    outfit.renew = renewalOf(course);
  }
  outfit.instructions = course->session ? course->session->instructions() : kStandard;
  course->done(std::move(outfit));
}

}  // namespace svc::providers
