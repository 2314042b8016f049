#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "svc/agents/agent_tools.h"
#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/machines/host_registry.h"
#include "svc/mcp/thread_tokens.h"
#include "svc/projects/projects.h"
#include "svc/skillfiles/skill_stages.h"
#include "svc/skills/skills.h"

#include "outfit.h"

namespace svc::providers {

/// What the variables of an agent say.
[[nodiscard]] common::Json environmentOf(const SessionRequest& request);

/// Asks plugins what they offer to a thread, mints the token that its agent reaches that with, and stages skills where the server's own
/// machine runs it; others fetch them. What this server has not is left out. Thread-safe.
class Outfitter final : public IOutfitter, public std::enable_shared_from_this<Outfitter> {
 public:
  struct With {
    IMainExecutor& main;
    IBulkWorkers& workers;
    http::IHttpServer& server;
    machines::IHostRegistry& machines;
    projects::IProjects* projects = nullptr;
    agents::IAgentTools* tools = nullptr;
    mcp::IThreadTokens* tokens = nullptr;
    skills::ISkills* skills = nullptr;
    /// What the contract says of this agent on this machine.
    std::function<common::Json(const std::string& provider_id, const std::string& host_id)>
        capabilities;
    std::shared_ptr<skillfiles::SkillStages> stages;
    std::string data_directory{};  ///< for agents on the server's own machine
  };
  explicit Outfitter(With with) : with_(std::move(with)) {}

  void prepare(const SessionRequest& request, Completion<Outfit> done) override;

 private:
  struct Course {
    SessionRequest request;
    agents::ToolSessionPtr session{};
    Outfit outfit{};
    Completion<Outfit> done;
  };
  using CoursePtr = std::shared_ptr<Course>;

  [[nodiscard]] agents::AgentContext contextOf(const SessionRequest& request) const;
  void askPlugins(const CoursePtr& course);
  void readSkills(const CoursePtr& course);
  void stage(const CoursePtr& course, const skills::Catalogue& catalogue);
  void readSkillsFor(const CoursePtr& course);
  static void send(const CoursePtr& course, const skills::Catalogue& catalogue);
  [[nodiscard]] std::function<void(common::Json, agents::AgentContext, Completion<void>)> renewalOf(
      const CoursePtr& course);
  void finish(const CoursePtr& course);

  const With with_;
};

}  // namespace svc::providers
