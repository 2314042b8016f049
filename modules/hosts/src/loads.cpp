#include "loads.h"

namespace svc::hosts {

LoadPtr Loads::commit(const plugins::GenerationPtr& generation, HostArtifactPtr artifact) {
  auto load = std::make_shared<Load>();
  load->plugin_id = generation->pluginId();
  load->load_id = generation->loadId();
  load->generation = generation;
  load->artifact = std::move(artifact);
  auto& usage = usage_[load->plugin_id];
  load->usage = usage.lock();
  if (!load->usage) {
    load->usage = std::make_shared<Usage>();
    usage = load->usage;
  }
  loads_[load->load_id] = load;
  return load;
}

void Loads::remove(std::uint64_t load_id) {
  loads_.erase(load_id);
  std::erase_if(usage_, [](const auto& entry) { return entry.second.expired(); });
}

LoadPtr Loads::find(std::uint64_t load_id) const {
  const auto found = loads_.find(load_id);
  return found == loads_.end() ? nullptr : found->second;
}

LoadPtr Loads::current(const std::string& plugin_id, std::string_view identity) const {
  for (auto load = loads_.rbegin(); load != loads_.rend(); ++load) {
    const auto& [id, entry] = *load;
    if (entry->plugin_id == plugin_id && !entry->retired) {
      return entry->artifact && entry->identity() == identity ? entry : nullptr;
    }
  }
  return nullptr;
}

HostArtifactPtr Loads::artifact(std::string_view plugin_id, std::string_view digest) const {
  for (const auto& [id, load] : loads_) {
    if (load->plugin_id == plugin_id && load->artifact && load->artifact->digest == digest) {
      return load->artifact;
    }
  }
  return nullptr;
}

std::string Loads::nameSources(std::string_view plugin_id, std::string text) const {
  return hosts::nameSources(std::move(text),
                            [&](std::string_view digest) { return sourcesOf(plugin_id, digest); });
}

std::string Loads::nameSourcesInJson(std::string_view plugin_id, std::string json) const {
  return hosts::nameSourcesInJson(
      std::move(json), [&](std::string_view digest) { return sourcesOf(plugin_id, digest); });
}

std::shared_ptr<EntrySources> Loads::sourcesOf(std::string_view plugin_id,
                                               std::string_view digest) const {
  const auto found = artifact(plugin_id, digest);
  return found ? found->sources : nullptr;
}

std::vector<std::pair<std::string, std::string>> Loads::identities() const {
  std::map<std::string, std::string> found;
  for (const auto& [id, load] : loads_) {
    if (load->artifact && !load->retired) {
      found[load->plugin_id] = load->artifact->identity;
    }
  }
  return {found.begin(), found.end()};
}

std::uint64_t Loads::number(const std::string& plugin_id) const {
  const auto found = numbers_.find(plugin_id);
  return found == numbers_.end() ? 0 : found->second;
}

}  // namespace svc::hosts
