#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "child.h"
#include "http.h"
#include "plugin_dir.h"
#include "socket.h"

namespace svc::test {

/// Module sets the suites run with: the default one, and one whose storage is in memory. Without a host daemon, unless
/// the flags say so.
inline constexpr const char* kDefaultModules =
    "storage,http,jsruntime,plugins,database,rpc,routes,realtime,cli,metrics,agents,sdkclient,"
    "installs,updates,app,machines,hosts,projects,inspector,themes,skills,mcp,files,terminals,"
    "environments,providers,threads";
inline constexpr const char* kMemoryModules =
    "storage-memory,http,jsruntime,plugins,database,rpc,routes,realtime,cli,metrics,agents,"
    "sdkclient,installs,updates,app,machines,hosts,projects,inspector,themes,skills,mcp,files,"
    "terminals,environments,providers,threads";

/// A server keeps a prepared environment for its next load, as installed ones do, when its flags say so.
inline constexpr const char* kSpare = "--jsruntime.spare=true";

/// A real svcd on a data directory and a port of its own.
class Server {
 public:
  /// Starts and waits for the ready line; throws with what the server said when it does not come.
  explicit Server(std::string modules = kDefaultModules, std::vector<std::string> flags = {});

  /// Starts again on the same data directory (and a new port).
  void start();
  /// SIGTERM; the exit code, or a failure when it does not end in time.
  [[nodiscard]] Outcome stop();
  /// SIGKILL; returns when the process is gone.
  void kill();
  void restart();
  /// Waits for the ready line of a process that starts itself again.
  void awaitReady();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int pid() const { return child_->pid(); }
  [[nodiscard]] std::string url() const;
  [[nodiscard]] const std::filesystem::path& dataDir() const { return data_; }
  [[nodiscard]] Child& process() { return *child_; }

  /// A connection of its own.
  [[nodiscard]] Http http() const { return Http(port_); }
  [[nodiscard]] Socket socket() const { return Socket(port_); }
  /// Installs a directory; the record. Whether it runs is the caller's check.
  common::Json install(const std::filesystem::path& directory) const;
  [[nodiscard]] Answer rpc(const std::string& plugin, const std::string& method,
                           const std::string& input = "null") const;
  [[nodiscard]] Answer reload(const std::string& plugin) const;
  [[nodiscard]] common::Json record(const std::string& plugin) const;
  /// Asks for the record until `wanted` holds; a failure (and the last record) when that does not happen in time.
  common::Json awaitRecord(const std::string& plugin,
                           const std::function<bool(const common::Json&)>& wanted) const;
  /// `svc` with these arguments against this server.
  [[nodiscard]] Outcome cli(std::vector<std::string> arguments,
                            const std::string& input = {}) const;

 private:
  [[nodiscard]] std::vector<std::string> commandLine() const;

  TempDir directory_;
  std::filesystem::path data_;
  std::string modules_;
  std::vector<std::string> flags_;
  std::unique_ptr<Child> child_;
  std::uint16_t port_ = 0;
};

/// Asks again and again until the answer is yes; false when the time runs out. `ask` makes a request, which paces it.
[[nodiscard]] bool eventually(const std::function<bool()>& ask);

/// A suite that runs with the module sets it is put into. The one on disk is as an installed server is; the other keeps no spare
/// environment.
class ServerTest : public ::testing::TestWithParam<const char*> {
 protected:
  Server server{GetParam(), std::string_view(GetParam()) == kDefaultModules
                                ? std::vector<std::string>{kSpare}
                                : std::vector<std::string>{}};
};
[[nodiscard]] std::string moduleSetName(const ::testing::TestParamInfo<const char*>& info);

/// Puts the suite into both module sets: for what asks storage for its answer, such as records of plugins and their services, rows,
/// settings and schedules. Other modules see storage through its interfaces only, which tests/contract/storage asks of both.
#define SVC_FOR_EACH_STORAGE(Suite)                                                            \
  INSTANTIATE_TEST_SUITE_P(Storage, Suite, ::testing::Values(kDefaultModules, kMemoryModules), \
                           ::svc::test::moduleSetName)
/// Puts the suite into the set of an installed server: for what goes wrong or right before storage is asked, such as bad input,
/// arguments, schemas, builds and failing code. That a server without a disk installs, calls, reloads and stops is said by the suites
/// above.
#define SVC_WITH_STORAGE_ON_DISK(Suite)                                        \
  INSTANTIATE_TEST_SUITE_P(Storage, Suite, ::testing::Values(kDefaultModules), \
                           ::svc::test::moduleSetName)

}  // namespace svc::test
