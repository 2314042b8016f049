#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collaborators.h"
#include "plugin_files.h"
#include "plugin_state.h"
#include "server_artifact.h"

namespace svc::plugins {

class LoadRun;

struct LoadStep {
  int number;
  std::string_view name;
  void (LoadRun::*run)(Completion<void> done);
};

/// One attempt to load one plugin: the eleven steps, in order, up to the first that fails. Main
/// thread; keeps itself alive until it has answered. A failed attempt leaves no environment behind
/// and does not touch the one before.
class LoadRun final : public std::enable_shared_from_this<LoadRun> {
 public:
  struct Failure {
    PluginStatus status = PluginStatus::kError;
    std::string message;
    std::string stack;
    /// What the status detail says, when that is not the message.
    std::optional<std::string> detail{};
    /// The files are not those that the service came with: nothing of them may be used, nor go on.
    bool is_damaged = false;
    /// The machine was too busy, which is no fault of the plugin: it is worth trying again.
    bool is_passing = false;
  };
  struct Hooks {
    /// Passed to the generation (GenerationContext::changed).
    std::function<void(const std::shared_ptr<Generation>&)> changed;
    /// Disposes the generation that is being replaced; fires when its phases are over.
    std::function<void(std::shared_ptr<Generation> previous, Completion<void> phases_done)> retire;
  };

  LoadRun(const Collaborators& with, const ManagerSettings& settings, PluginPtr plugin,
          std::uint64_t load_id, Hooks hooks);

  /// The sequence as data.
  [[nodiscard]] static const std::array<LoadStep, 11>& steps();

  void run(Completion<void> done);
  /// Ends the attempt early unless the switch has begun. It then fails with `why`.
  void cancel(const std::string& why);
  /// Why it failed; meaningful after an error answer.
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  void next(std::size_t index);
  void finish(Status status);
  void refuse(Completion<void>& done, PluginStatus status, std::string message,
              std::string stack = {});

  void refuseForPackages(Completion<void> done, std::string message, std::string stack);
  void refuseDisabled(Completion<void>& done, std::string message, std::string detail);

  void checkEnabled(Completion<void> done);
  void readManifest(Completion<void> done);
  void checkEngines(Completion<void> done);
  void prepareArtifacts(Completion<void> done);
  void checkBrandingFiles(Completion<void> done);
  void createEnvironment(Completion<void> done);
  void runFactory(Completion<void> done);
  void handOver(Completion<void> done);
  void publish(Completion<void> done);
  void commit(Completion<void> done);
  void startServices(Completion<void> done);

  void acceptManifest(Result<ParsedManifest> parsed, Completion<void> done);
  void runArtifactStep(std::size_t index, Completion<void> done);
  [[nodiscard]] ArtifactRequest artifactRequest() const;
  void startEnvironment(Completion<void> done);
  [[nodiscard]] script::InstanceOptions instanceOptions() const;
  [[nodiscard]] script::ScriptLimits scriptLimits() const;
  void factoryFailed(const Error& error, Completion<void> done);
  void prepare(std::size_t index, Completion<void> done);
  void showContents();
  void switchOver(const storage::PluginRow& row);

  const Collaborators& with_;
  const ManagerSettings& settings_;
  PluginPtr plugin_;
  std::uint64_t load_id_;
  Hooks hooks_;
  Completion<void> done_;
  Failure failure_;
  std::string cancelled_;
  std::chrono::steady_clock::time_point started_;
  Manifest manifest_;
  ContentsPtr contents_;
  ServerArtifact server_;
  std::vector<std::string> warnings_;
  std::shared_ptr<Generation> generation_;
  std::vector<std::shared_ptr<const PluginApi::Artifacts>> artifact_steps_;
  std::vector<DevProblem> build_problems_;
  /// What `svc plugin dev` had said when the builds of this load began.
  std::vector<std::string> dev_problems_before_;
  std::vector<std::shared_ptr<const PluginApi::Step>> checks_;
  bool switching_ = false;
};

}  // namespace svc::plugins
