#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "svc/plugins/plugins.h"

#include "host_artifact.h"

namespace svc::hosts {

/// What the calls of one plugin take together, whichever of its loads makes them.
struct Usage {
  std::size_t calls = 0;
  std::size_t bytes = 0;
};

/// Events on their way to a plugin's script. They end on its thread.
struct WaitingEvents {
  std::atomic<std::size_t> events = 0;
  std::atomic<std::size_t> bytes = 0;
};

/// One committed load of a plugin.
struct Load {
  struct Call {
    std::uint64_t request = 0;  ///< HostRpc::request()
    std::size_t bytes = 0;
    std::string host_id;
    Completion<std::string> done;
  };

  std::string plugin_id;
  std::uint64_t load_id = 0;
  std::weak_ptr<plugins::IGeneration> generation;
  HostArtifactPtr artifact;  ///< null when the plugin has no host entry
  /// Its disposal has begun: it calls nothing any more and gets no events.
  bool retired = false;
  std::shared_ptr<Usage> usage;
  std::unordered_map<std::uint64_t, Call> calls;  ///< by the number its script gave them
  std::shared_ptr<WaitingEvents> waiting = std::make_shared<WaitingEvents>();
  /// The plugin is behind, and its log says so.
  bool dropping_events = false;

  [[nodiscard]] std::string_view identity() const {
    return artifact ? std::string_view(artifact->identity) : std::string_view();
  }
};
using LoadPtr = std::shared_ptr<Load>;

/// The loads from their commit to the end of their disposal; of a plugin that is being reloaded two for a while. Lives on the
/// io thread.
class Loads {
 public:
  LoadPtr commit(const plugins::GenerationPtr& generation, HostArtifactPtr artifact);
  void remove(std::uint64_t load_id);

  [[nodiscard]] LoadPtr find(std::uint64_t load_id) const;
  /// The plugin's last load that is not retired, when its artifact has this identity; null otherwise.
  [[nodiscard]] LoadPtr current(const std::string& plugin_id, std::string_view identity) const;
  /// The artifact with this digest of that plugin, of the current load or of one whose disposal has not ended.
  [[nodiscard]] HostArtifactPtr artifact(std::string_view plugin_id, std::string_view digest) const;
  /// What a worker of that plugin has said, with positions in its built entry as the author knows them.
  [[nodiscard]] std::string nameSources(std::string_view plugin_id, std::string text) const;
  /// The same for what it has sent as JSON.
  [[nodiscard]] std::string nameSourcesInJson(std::string_view plugin_id, std::string json) const;
  /// Plugin and identity of every artifact that may be called, ascending by plugin.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> identities() const;

  /// The generation counters as plugins' records show them, for logs.
  void setNumbers(std::map<std::string, std::uint64_t> numbers) { numbers_ = std::move(numbers); }
  /// 0 when it is not known.
  [[nodiscard]] std::uint64_t number(const std::string& plugin_id) const;

 private:
  [[nodiscard]] std::shared_ptr<EntrySources> sourcesOf(std::string_view plugin_id,
                                                        std::string_view digest) const;

  std::map<std::uint64_t, LoadPtr> loads_;
  std::map<std::string, std::weak_ptr<Usage>> usage_;
  std::map<std::string, std::uint64_t> numbers_;
};

}  // namespace svc::hosts
