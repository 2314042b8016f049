#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sessions.h"

namespace svc::hosts {

/// The ports that plugins share of hosts. A declaration counts from the commit of its load to the end of it; every change of
/// what a host shares is told to its daemon. Lives on the io thread.
class SharedPorts final {
 public:
  explicit SharedPorts(const Sessions& sessions) : sessions_(sessions) {}

  /// Replaces what this load shares of the host.
  void declare(const std::string& plugin_id, std::uint64_t load_id, const std::string& host_id,
               std::vector<std::uint16_t> ports);
  void commit(const std::string& plugin_id, std::uint64_t load_id);
  void withdraw(std::uint64_t load_id);

  /// `{ generation, ports }` of the host, JSON text.
  [[nodiscard]] std::string describe(const std::string& host_id) const;

 private:
  using ByHost = std::map<std::string, std::vector<std::uint16_t>>;
  struct Staged {
    std::uint64_t load_id = 0;
    ByHost ports;
  };

  void changed(const std::string& host_id);

  const Sessions& sessions_;
  /// Of a load that is not committed yet: of each plugin the last one.
  std::map<std::string, Staged> staged_;
  std::map<std::uint64_t, ByHost> shared_;
  std::map<std::string, std::uint64_t> generations_;
};

}  // namespace svc::hosts
