#pragma once

#include <map>
#include <string>

#include "svc/common/json.h"

namespace svc::agents {

/// What `configure` of every plugin is told about a thread. An empty string is null in JSON where the contract allows null.
struct AgentContext {
  struct Thread {
    std::string id;
    std::string title{};             ///< empty = null
    std::string parent_thread_id{};  ///< empty = null
    std::string source_thread_id{};  ///< empty = null
  };
  struct Project {
    std::string id;
    std::string kind = "standard";  ///< or "personal"
    std::string name{};
    std::string git_remote_url{};  ///< empty = null
  };
  struct Environment {
    std::string id;
    std::string name{};  ///< empty = null
    std::string path{};  ///< empty = null: it is being made
    std::string workspace_provision_type = "unmanaged";
    std::string branch_name{};  ///< empty = null
  };
  struct Host {
    std::string id;
    std::string name{};
  };
  struct Provider {
    std::string id;
    std::string model{};  ///< empty while the agent has not named one
    common::Json capabilities = common::Json::object();
  };
  struct Origin {
    std::string kind{};       ///< "fork"; empty = null
    std::string plugin_id{};  ///< empty = null
  };

  Thread thread;
  Project project;
  Environment environment;
  Host host;
  Provider provider;
  Origin origin{};
  /// By plugin id: each plugin is told its own only.
  std::map<std::string, common::Json> plugin_metadata{};
};

namespace detail {

inline common::Json orNull(const std::string& text) {
  return text.empty() ? common::Json() : common::Json(text);
}

}  // namespace detail

/// As the callback of this plugin gets it.
[[nodiscard]] inline common::Json toJson(const AgentContext& context,
                                         const std::string& plugin_id) {
  using common::Json;
  using detail::orNull;
  const auto& [thread, project, environment, host, provider, origin, metadata] = context;
  const auto own = metadata.find(plugin_id);
  return Json::object()
      .set("thread", Json::object()
                         .set("id", thread.id)
                         .set("title", orNull(thread.title))
                         .set("parentThreadId", orNull(thread.parent_thread_id))
                         .set("sourceThreadId", orNull(thread.source_thread_id)))
      .set("project", Json::object()
                          .set("id", project.id)
                          .set("kind", project.kind)
                          .set("name", project.name)
                          .set("gitRemoteUrl", orNull(project.git_remote_url)))
      .set("environment", Json::object()
                              .set("id", environment.id)
                              .set("name", orNull(environment.name))
                              .set("path", orNull(environment.path))
                              .set("workspaceProvisionType", environment.workspace_provision_type)
                              .set("branchName", orNull(environment.branch_name)))
      .set("host", Json::object().set("id", host.id).set("name", host.name))
      .set("provider", Json::object()
                           .set("id", provider.id)
                           .set("model", provider.model)
                           .set("capabilities", provider.capabilities))
      .set(
          "origin",
          Json::object().set("kind", orNull(origin.kind)).set("pluginId", orNull(origin.plugin_id)))
      .set("pluginMetadata", own == metadata.end() ? Json::object() : own->second);
}

}  // namespace svc::agents
