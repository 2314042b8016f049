#pragma once

#include <filesystem>
#include <string>

#include "child_process.h"
#include "dev_loop.h"
#include "dispatch.h"
#include "trial_server.h"

/// The parts of the authoring commands that tests give other children and another installation.
namespace svc::client {

struct Authoring {
  IChildRunner& children;
  /// <prefix>/share/svc
  std::filesystem::path share;
};

struct NewPlugin {
  std::string name;
  /// The example that it begins with; empty for a template.
  std::string from{};
  /// Empty for the usual one.
  std::string plugin_template{};
  /// Makes a repository of the folder, unless it lies in one.
  bool git = false;
};
[[nodiscard]] int newPlugin(Context& context, const Authoring& tools, const NewPlugin& wanted);

struct TypesOptions {
  std::string path;
  bool check = false;
};
[[nodiscard]] int updateTypes(Context& context, const Authoring& tools,
                              const TypesOptions& options);

struct TestTools {
  IChildRunner& children;
  IDevBuilder& builder;
  ITrialServer& server;
  /// <prefix>/share/svc
  std::filesystem::path share;
};
[[nodiscard]] int testPlugin(Context& context, const TestTools& tools, const std::string& path,
                             const std::vector<TypedSetting>& settings);

}  // namespace svc::client
