#include "service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "svc/base/fd.h"

#include "fakes/fake_executor.h"

namespace svc::kernel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

/// Stands for systemd: a socket, and what came through it.
class Systemd {
 public:
  explicit Systemd(std::string name) : name_(std::move(name)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name_.copy(address.sun_path, sizeof address.sun_path);
    if (name_.front() == '@') {
      address.sun_path[0] = '\0';
    } else {
      std::filesystem::remove(name_);
    }
    socket_ = base::Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::vector<std::string> heard() const {
    std::vector<std::string> messages;
    char text[64];
    for (;;) {
      const auto size = ::recv(socket_.get(), text, sizeof text, 0);
      if (size < 0) {
        return messages;
      }
      messages.emplace_back(text, static_cast<std::size_t>(size));
    }
  }

 private:
  std::string name_;
  base::Fd socket_;
};

std::string socketPath() { return testing::TempDir() + "notify" + std::to_string(::getpid()); }

TEST(ServiceManagerTest, HearsWhenItServesAndWhenItEnds) {
  for (const auto& name : {socketPath(), "@svc-notify" + std::to_string(::getpid())}) {
    const Systemd systemd(name);
    test::FakeMainExecutor loop;
    ServiceManager manager({systemd.name(), "", ""});
    EXPECT_THAT(systemd.heard(), IsEmpty());
    manager.ready(loop);
    EXPECT_THAT(systemd.heard(), ElementsAre("READY=1"));
    loop.advance(10min);
    EXPECT_THAT(systemd.heard(), IsEmpty());
    manager.stopping();
    EXPECT_THAT(systemd.heard(), ElementsAre("STOPPING=1"));
  }
}

TEST(ServiceManagerTest, GivesASignOfLifeFromTheLoopTwiceAsOftenAsAsked) {
  const Systemd systemd(socketPath());
  test::FakeMainExecutor loop;
  ServiceManager manager({systemd.name(), "60000000", std::to_string(::getpid())});
  EXPECT_EQ(manager.interval(), 30s);
  manager.ready(loop);
  EXPECT_THAT(systemd.heard(), ElementsAre("READY=1", "WATCHDOG=1"));
  loop.advance(29s);
  EXPECT_THAT(systemd.heard(), IsEmpty());
  loop.advance(31s);
  EXPECT_THAT(systemd.heard(), ElementsAre("WATCHDOG=1", "WATCHDOG=1"));
}

TEST(ServiceManagerTest, NoSignOfLifeWhereItIsAskedOfAnotherProcessOrInNoNumber) {
  EXPECT_EQ(ServiceManager({"/run/x", "60000000", "1"}).interval(), std::nullopt);
  EXPECT_EQ(ServiceManager({"/run/x", "soon", ""}).interval(), std::nullopt);
  EXPECT_EQ(ServiceManager({"/run/x", "0", ""}).interval(), std::nullopt);
  EXPECT_EQ(ServiceManager({"", "60000000", ""}).interval(), std::nullopt);
  EXPECT_EQ(ServiceManager({"/run/x", "1", ""}).interval(), 1ms);
}

TEST(ServiceManagerTest, ServesWhereNobodyListens) {
  test::FakeMainExecutor loop;
  for (const auto& name : {std::string(), std::string("nowhere"), std::string("/nowhere/at/all"),
                           "/" + std::string(200, 'x')}) {
    ServiceManager manager({name, "", ""});
    manager.ready(loop);
    manager.stopping();
  }
}

TEST(ServiceManagerTest, WhatThisProcessWasAskedIsNotAskedOfWhatItStarts) {
  ServiceManager::putIntoEnvironment({"/run/x", "5", "7"});
  const auto wishes = ServiceManager::takeFromEnvironment();
  EXPECT_EQ(wishes.socket, "/run/x");
  EXPECT_EQ(wishes.watchdog_us, "5");
  EXPECT_EQ(wishes.watchdog_pid, "7");
  // NOLINTBEGIN(concurrency-mt-unsafe)
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_USEC"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_PID"), nullptr);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace
}  // namespace svc::kernel
