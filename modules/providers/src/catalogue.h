#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/machines/host_registry.h"

#include "agent_config.h"

namespace svc::providers {

/// One agent provider on one machine.
struct Offer {
  std::string id{};
  std::string display_name{};
  bool available = false;
  std::string reason{};     ///< why not
  std::string plugin_id{};  ///< of a plugin's declaration
  common::Json declared{};  ///< that declaration
  bool configured = false;
  common::Json report{};  ///< what the machine says of it, or null
};

/// Which agents there are: those of the configuration, those a machine knows by itself, those plugins declare. A machine is asked when
/// its daemon connects and when the configuration has changed; what it said is kept. Thread-safe.
class Catalogue final : public hosts::IHostListener,
                        public std::enable_shared_from_this<Catalogue> {
 public:
  struct With {
    hosts::IHostCommands& commands;
    machines::IHostRegistry& machines;
    /// What loaded plugins declare: plugin id and declaration.
    std::function<std::vector<std::pair<std::string, common::Json>>()> declared;
    /// Something about providers has changed.
    std::function<void()> changed;
  };
  explicit Catalogue(With with) : with_(std::move(with)) {}

  /// Asks the connected machines again.
  void configure(std::map<std::string, ConfiguredAgent> agents);

  /// What there is on this machine; with an empty id on any: the machine where it is available, else the server's own.
  [[nodiscard]] std::vector<Offer> list(const std::string& host_id) const;
  /// As list(), of all machines and all agents they know, also those that are not installed.
  [[nodiscard]] std::vector<std::pair<std::string, Offer>> states(const std::string& host_id) const;
  /// Whether the configuration has an agent of this id.
  [[nodiscard]] bool isConfigured(const std::string& provider_id) const;
  /// See IAgentSessions::choose().
  [[nodiscard]] Result<std::string> choose(const std::string& provider_id) const;
  /// How it is started on this machine: the configured command, or null for one that the machine knows. An error says why it is not.
  [[nodiscard]] Result<common::Json> command(const std::string& provider_id,
                                             const std::string& host_id) const;

  /// Choices of a session that has begun, as ACP has them. What is current in them is the agent's own default only where nothing has been
  /// chosen; others count while nothing else is known.
  void sawSession(const std::string& provider_id, const std::string& host_id,
                  const common::Json& config_options, bool nothing_is_chosen);
  /// The models of the contract; a single "default" while no session has named any.
  [[nodiscard]] common::Json models(const std::string& provider_id,
                                    const std::string& host_id) const;

  /// Commands of a session, as ACP has them.
  void sawCommands(const std::string& provider_id, const std::string& host_id,
                   const std::string& project_id, const common::Json& commands);
  /// The last that were seen there, on any machine without one; null before a session has named any.
  [[nodiscard]] common::Json commands(const std::string& provider_id, const std::string& host_id,
                                      const std::string& project_id) const;

  void hostOpened(const std::string& host_id) override;
  void hostClosed(const std::string& host_id) override;
  void hostGone(const std::string& host_id) override;
  void hostMessage(const std::string& host_id, std::string_view type,
                   std::string_view text) override;

 private:
  struct Machine {
    bool connected = false;
    bool reported = false;
    int asks = 0;           ///< that it has not answered
    std::string failure{};  ///< why it could not say
    std::map<std::string, common::Json> agents{};
  };
  using Agents = std::map<std::string, ConfiguredAgent>;

  void ask(const std::string& host_id);
  void told(const std::string& host_id, const Result<std::string>& answer);
  [[nodiscard]] std::vector<machines::Host> hostsOf(const std::string& host_id) const;
  [[nodiscard]] std::vector<Offer> offersOn(const machines::Host& host) const;
  [[nodiscard]] bool anyConnected() const;
  /// Of connected machines that could not say which agents they have: why, to end a sentence with.
  [[nodiscard]] std::string failures() const;
  /// Some machine has not said yet which agents it has.
  [[nodiscard]] bool beingAsked() const;
  [[nodiscard]] static bool isOn(const ConfiguredAgent& agent, const machines::Host& host);

  const With with_;
  mutable std::mutex mutex_;
  Agents agents_;
  std::map<std::string, Machine> machines_;
  std::map<std::pair<std::string, std::string>, common::Json>
      options_;  ///< by provider and machine
  struct SeenCommands {
    std::string provider_id;
    std::string host_id;
    std::string project_id;
    common::Json commands;
  };
  std::vector<SeenCommands> commands_;  ///< the latest last
};

}  // namespace svc::providers
