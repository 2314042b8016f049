// A daemon that speaks an older protocol than its server: with --auto-update it takes the server's program and goes on with that.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/common/platform.h"

#include "harness/hosts.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::HasSubstr;

/// An update packs, sends, unpacks and tries a whole program.
bool eventuallyUpdated(const std::function<bool()>& ask) {
  return eventually(ask) || eventually(ask) || eventually(ask);
}

/// Stands between a daemon and its server and changes what the server says, keeping its length.
class Tamperer {
 public:
  explicit Tamperer(std::uint16_t server)
      : server_(server),
        listener_(Poco::Net::SocketAddress("127.0.0.1", 0)),
        thread_([this] { accept(); }) {}
  Tamperer(const Tamperer&) = delete;
  Tamperer& operator=(const Tamperer&) = delete;
  ~Tamperer() {
    stopped_ = true;
    // Wakes the accept.
    Poco::Net::StreamSocket(listener_.address()).close();
    thread_.join();
  }

  [[nodiscard]] std::string url() const {
    return fmt::format("http://127.0.0.1:{}", listener_.address().port());
  }
  /// Of each package one byte.
  std::atomic<bool> spoil_packages{false};
  /// The protocol that the server says it speaks.
  std::atomic<bool> claim_older_server{false};

 private:
  void accept() {
    std::vector<std::jthread> connections;
    while (true) {
      auto client = listener_.acceptConnection();
      if (stopped_) {
        return;
      }
      connections.emplace_back([this, client] { guardedRelay(client); });
    }
  }

  void guardedRelay(Poco::Net::StreamSocket client) {
    try {
      relay(client);
    } catch (const std::exception&) {
      client.close();  // one of the two has gone
    }
  }

  void relay(Poco::Net::StreamSocket& client) {
    Poco::Net::StreamSocket server(Poco::Net::SocketAddress("127.0.0.1", server_));
    bool is_package = false;
    std::size_t passed = 0;
    std::vector<char> buffer(64UL * 1024);
    const Poco::Timespan turn(0, 100'000);
    while (!stopped_) {
      Poco::Net::Socket::SocketList readable{client, server};
      Poco::Net::Socket::SocketList writable;
      Poco::Net::Socket::SocketList failed;
      Poco::Net::Socket::select(readable, writable, failed, turn);
      for (const auto& ready : readable) {
        const bool from_client = ready == client;
        auto& from = from_client ? client : server;
        const int count = from.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
        if (count <= 0) {
          return;
        }
        std::string text(buffer.data(), static_cast<std::size_t>(count));
        if (from_client) {
          is_package = is_package || text.starts_with("GET /internal/daemon-package/");
        } else {
          tamper(text, is_package, passed);
          passed += text.size();
        }
        send(from_client ? server : client, text);
      }
    }
  }

  void tamper(std::string& text, bool is_package, std::size_t passed) const {
    constexpr std::size_t kSpoiled = 100'000;  // well inside of the first chunk
    if (is_package && spoil_packages && passed <= kSpoiled && kSpoiled < passed + text.size()) {
      text[kSpoiled - passed] = static_cast<char>(~text[kSpoiled - passed]);
    }
    const std::string truth = R"("serverProtocolVersion":1)";
    if (const auto at = text.find(truth); claim_older_server && at != std::string::npos) {
      text[at + truth.size() - 1] = '0';
    }
  }

  static void send(Poco::Net::StreamSocket& to, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      at += static_cast<std::size_t>(
          to.sendBytes(text.data() + at, static_cast<int>(text.size() - at)));
    }
  }

  const std::uint16_t server_;
  Poco::Net::ServerSocket listener_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

/// An installation of its own with a daemon of the protocol before this one.
class OldMachine {
 public:
  OldMachine(const Server& server, const std::string& url, std::vector<std::string> flags) {
    const fs::path built = fs::path(SVC_TEST_HOSTD).parent_path().parent_path();
    for (const auto* directory : {"bin", "lib/svc/modules", "lib/svc/programs", "share/svc"}) {
      fs::create_directories(prefix_ / directory);
    }
    for (const auto* file :
         {"bin/svc-hostd", "lib/svc/libsvc_kernel.so", "lib/svc/modules/hostworkers.so",
          "lib/svc/modules/hostfiles.so", "lib/svc/modules/pty.so", "lib/svc/modules/worktrees.so",
          "lib/svc/modules/agentd.so", "lib/svc/programs/svc-hostd.json"}) {
      fs::copy(built / file, prefix_ / file);
    }
    fs::copy(fs::path(SVC_TEST_OLD_MODULES) / "serverlink.so",
             prefix_ / "lib/svc/modules/serverlink.so");
    const auto code = joinCode(server, "old");
    id_ = code["hostId"].asString();
    Command command{.argv = {launcher().string(), "join", "--server", url, "--code",
                             code["joinCode"].asString(), "--name", "old", "--data-dir",
                             (directory_.path() / "hostd").string()},
                    .directory = directory_.path()};
    command.argv.insert(command.argv.end(), flags.begin(), flags.end());
    child_ = std::make_unique<Child>(command);
  }

  [[nodiscard]] fs::path launcher() const { return prefix_ / "bin/svc-hostd"; }
  [[nodiscard]] const fs::path& prefix() const { return prefix_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] Child& process() { return *child_; }
  [[nodiscard]] bool isUpdated() const { return fs::is_symlink(launcher()); }
  [[nodiscard]] std::string hostKey() const {
    std::ifstream in(directory_.path() / "hostd/auth.json");
    const auto parsed = Json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
    return parsed ? parsed.value()["hostKey"].asString() : std::string();
  }

 private:
  TempDir directory_;
  const fs::path prefix_ = directory_.path() / "opt";
  std::string id_;
  std::unique_ptr<Child> child_;
};

class HostUpdateTest : public ::testing::Test {
 protected:
  std::string message(const std::string& id) const {
    return hostRecord(server, id)["stateMessage"].asString();
  }
  bool awaitMessage(const std::string& id, const std::string& part) const {
    return eventuallyUpdated([&] { return message(id).find(part) != std::string::npos; });
  }
  bool awaitAvailable(const std::string& id) const {
    return eventuallyUpdated(
        [&] { return hostRecord(server, id)["state"].asString() == "available"; });
  }

  Server server;
};

TEST_F(HostUpdateTest, AnOldDaemonTakesTheServersProgramAndServes) {
  OldMachine machine(server, server.url(), {"--auto-update"});
  ASSERT_TRUE(awaitAvailable(machine.id())) << machine.process().errorText();
  EXPECT_TRUE(machine.isUpdated());
  EXPECT_TRUE(hostRecord(server, machine.id())["lastRejectedProtocolVersion"].isNull());
  EXPECT_TRUE(isAlive(machine.process().pid())) << "it goes on in the same process";
  const Probe probe(server);
  const auto report = probe.report(machine.id());
  EXPECT_EQ(report["ppid"].asInteger(), machine.process().pid());
  EXPECT_TRUE(eventually([&] {
    return hostRecord(server, machine.id())["status"].asString() == "connected" &&
           !fs::exists(fs::symlink_status(machine.prefix() / "bin/.svc-hostd.previous"));
  })) << "the old program goes once the new one works";
  machine.process().signal(15);
  const auto outcome = machine.process().wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
  EXPECT_THAT(outcome->err, HasSubstr("the update is complete"));
}

TEST_F(HostUpdateTest, WithoutTheFlagItStaysAndSaysWhatToDo) {
  OldMachine machine(server, server.url(), {});
  ASSERT_TRUE(awaitMessage(machine.id(), "--auto-update")) << machine.process().errorText();
  const auto record = hostRecord(server, machine.id());
  EXPECT_EQ(record["state"].asString(), "setup-required");
  EXPECT_EQ(record["lastRejectedProtocolVersion"].asInteger(), 0);
  EXPECT_TRUE(eventually([&] {
    return hostRecord(server, machine.id())["id"].isString() &&
           machine.process().errorText().find("or start svc-hostd with --auto-update") !=
               std::string::npos;
  })) << machine.process().errorText();
  EXPECT_FALSE(machine.isUpdated());
  EXPECT_FALSE(fs::exists(machine.prefix() / "lib/svc/updates"));
}

TEST_F(HostUpdateTest, RetryUpdateIsTrueExactlyForOlderDaemonsOfAPlatformWithAPackage) {
  OldMachine machine(server, server.url(), {});
  ASSERT_TRUE(awaitMessage(machine.id(), "--auto-update")) << machine.process().errorText();
  const auto offered = [&](int version, const std::string& platform) {
    const auto answer = server.http().send(
        {.method = "POST",
         .target = "/internal/session/open",
         .body = fmt::format(R"({{"protocolVersion":{},"platform":"{}"}})", version, platform),
         .headers = {{"authorization", "Bearer " + machine.hostKey()},
                     {"content-type", "application/json"}}});
    EXPECT_EQ(answer.status, 400) << answer.body;
    return answer.json["error"]["details"]["retryUpdate"].asBool();
  };
  EXPECT_TRUE(offered(0, common::platformName()));
  EXPECT_FALSE(offered(2, common::platformName()));
  EXPECT_FALSE(offered(0, "darwin-arm64"));
}

TEST_F(HostUpdateTest, ASpoiledPackageChangesNothingAndIsShown) {
  Tamperer way(server.port());
  way.spoil_packages = true;
  OldMachine machine(server, way.url(), {"--auto-update"});
  ASSERT_TRUE(awaitMessage(machine.id(), "is not the package")) << machine.process().errorText();
  EXPECT_FALSE(machine.isUpdated());
  const auto shown = server.cli({"machine", "show", "old"});
  EXPECT_THAT(shown.out, HasSubstr("could not update itself"));
  const auto retried = server.cli({"machine", "retry-update", "old"});
  EXPECT_EQ(retried.exit_code, 0) << retried.err;
  EXPECT_THAT(retried.err, HasSubstr("within five minutes"));
  EXPECT_TRUE(isAlive(machine.process().pid()));
}

TEST_F(HostUpdateTest, AServerThatIsNotNewerChangesNothing) {
  Tamperer way(server.port());
  way.claim_older_server = true;
  OldMachine machine(server, way.url(), {"--auto-update"});
  ASSERT_TRUE(eventuallyUpdated([&] {
    return hostRecord(server, machine.id())["lastRejectedProtocolVersion"].isNumber() &&
           machine.process().errorText().find("install the same version of svc on both") !=
               std::string::npos;
  })) << machine.process().errorText();
  EXPECT_FALSE(machine.isUpdated());
  EXPECT_FALSE(fs::exists(machine.prefix() / "lib/svc/updates"));
}

}  // namespace
}  // namespace svc::test
