#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server.h"

namespace svc::test {

/// The record of a machine; null when there is none.
[[nodiscard]] common::Json hostRecord(const Server& server, const std::string& host_id);
/// Asks for the record until it is connected, or (false) until it is not.
[[nodiscard]] bool awaitConnected(const Server& server, const std::string& host_id,
                                  bool connected = true);
/// Id of the server's own machine.
[[nodiscard]] std::string ownHost(const Server& server);

/// A machine beside the server's own: a svc-hostd with a data directory of its own.
class Machine {
 public:
  /// Enrolls with a join code and waits until it is connected. `address`: the server's, as the machine sees it.
  Machine(const Server& server, const std::string& name, const std::string& address = {});

  /// Starts again, enrolled as it is.
  void start(const std::vector<std::string>& flags = {});
  [[nodiscard]] Outcome stop();
  void kill();
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::filesystem::path& dataDir() const { return data_; }
  [[nodiscard]] Child& process() { return *child_; }

 private:
  TempDir directory_;
  std::filesystem::path data_;
  std::string id_;
  std::unique_ptr<Child> child_;
};

/// A join code, as `svc machine enroll` makes it: { joinCode, hostId, expiresAt }.
[[nodiscard]] common::Json joinCode(const Server& server, const std::string& name);
[[nodiscard]] Outcome runHostd(std::vector<std::string> arguments);

/// A copy of the fixture host-probe, installed.
class Probe {
 public:
  explicit Probe(const Server& server);

  /// `rest`: further members of the request as JSON text, without braces. The outcome: { ok, output | error, ms }.
  [[nodiscard]] common::Json call(const std::string& host_id, const std::string& method,
                                  const std::string& input = "null",
                                  const std::string& rest = "") const;
  /// The code of a failed call; "" when it succeeded.
  [[nodiscard]] std::string codeOf(const std::string& host_id, const std::string& method,
                                   const std::string& input = "null",
                                   const std::string& rest = "") const;
  /// { count, counts by code, ms, slowestMs }
  [[nodiscard]] common::Json many(const std::string& host_id, const std::string& method, int count,
                                  const std::string& input = "{}",
                                  const std::string& rest = "") const;
  /// What the worker's process says of itself.
  [[nodiscard]] common::Json report(const std::string& host_id) const;
  [[nodiscard]] common::Json events() const;
  /// Waits until handlers of calls with this id have said so many times that they are there.
  [[nodiscard]] bool awaitState(const std::string& id, const std::string& at, int times = 1) const;
  /// Another version of both entries, loaded.
  void reload(const std::string& version) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  const Server& server_;
  TempDir directory_;
  std::filesystem::path path_;
};

/// True while a process with this id exists and is no zombie.
[[nodiscard]] bool isAlive(int pid);

}  // namespace svc::test
