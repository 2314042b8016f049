#include "shared_ports.h"

#include <utility>

#include "svc/common/json.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::hosts {
namespace {

using common::Json;

}  // namespace

void SharedPorts::declare(const std::string& plugin_id, std::uint64_t load_id,
                          const std::string& host_id, std::vector<std::uint16_t> ports) {
  if (const auto found = shared_.find(load_id); found != shared_.end()) {
    found->second[host_id] = std::move(ports);
    changed(host_id);
    return;
  }
  auto& staged = staged_[plugin_id];
  if (staged.load_id > load_id) {
    return;  // of a load that has ended
  }
  if (staged.load_id != load_id) {
    staged = {.load_id = load_id, .ports = {}};
  }
  staged.ports[host_id] = std::move(ports);
}

void SharedPorts::commit(const std::string& plugin_id, std::uint64_t load_id) {
  auto& shared = shared_[load_id];
  const auto found = staged_.find(plugin_id);
  if (found == staged_.end()) {
    return;
  }
  if (found->second.load_id == load_id) {
    shared = std::move(found->second.ports);
  }
  staged_.erase(found);
  for (const auto& [host_id, ports] : shared) {
    changed(host_id);
  }
}

void SharedPorts::withdraw(std::uint64_t load_id) {
  const auto node = shared_.extract(load_id);
  if (node.empty()) {
    return;
  }
  for (const auto& [host_id, ports] : node.mapped()) {
    changed(host_id);
  }
}

std::string SharedPorts::describe(const std::string& host_id) const {
  std::set<std::uint16_t> all;
  for (const auto& [load_id, hosts] : shared_) {
    if (const auto found = hosts.find(host_id); found != hosts.end()) {
      all.insert(found->second.begin(), found->second.end());
    }
  }
  auto list = Json::array();
  for (const auto port : all) {
    list.push(static_cast<std::int64_t>(port));
  }
  const auto generation = generations_.find(host_id);
  return Json::object()
      .set("generation", generation == generations_.end() ? std::uint64_t{0} : generation->second)
      .set("ports", std::move(list))
      .dump();
}

void SharedPorts::changed(const std::string& host_id) {
  generations_[host_id] += 1;
  if (const auto session = sessions_.find(host_id)) {
    auto message = Json::parse(describe(host_id)).value();
    session->send(message.set("type", hostprotocol::to_daemon::kConnectShares).dump());
  }
}

}  // namespace svc::hosts
