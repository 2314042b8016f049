#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/hosts/host_commands.h"

#include "mocks/mock_host_registry.h"
#include "mocks/mock_reactor.h"
#include "mocks/reactor_clock.h"
#include "mocks/recorded_exchange.h"

namespace svc::files {

using common::Json;
using svc::test::RecordedExchange;

/// Daemons that the test plays.
class FakeCommands final : public hosts::IHostCommands {
 public:
  struct Asked {
    std::string host_id;
    Json command;
    std::string text;
    Completion<std::string> done;
  };
  void send(const std::string& host_id, std::string command, std::chrono::milliseconds /*wait*/,
            Completion<std::string> done) override {
    auto parsed = Json::parse(command);
    asked.push_back({host_id, parsed ? std::move(parsed).value() : Json(), std::move(command),
                     std::move(done)});
  }
  Asked next() {
    auto first = std::move(asked.front());
    asked.pop_front();
    return first;
  }
  /// Answers the oldest.
  void answer(std::string result) { next().done(std::move(result)); }
  void fail(Errc code, const std::string& message = "why") { next().done(Error{code, message}); }

  std::deque<Asked> asked;
};

class MachineFixture : public ::testing::Test {
 protected:
  MachineFixture() {
    ON_CALL(registry_, list).WillByDefault([this] { return hosts_; });
    ON_CALL(registry_, find).WillByDefault([this](std::string_view id) {
      for (const auto& host : hosts_) {
        if (host.id == id) {
          return std::optional(host);
        }
      }
      return std::optional<machines::Host>();
    });
  }

  std::vector<machines::Host> hosts_{
      {.id = "own", .name = "Own", .is_server = true, .connected = true},
      {.id = "far", .name = "Far", .connected = true}};
  ::testing::NiceMock<machines::MockHostRegistry> registry_;
  svc::test::FakeReactor reactor_;
  svc::test::ReactorClock clock_{reactor_};
  FakeCommands commands_;
  svc::test::RecordedRoutes server_;
};

}  // namespace svc::files
