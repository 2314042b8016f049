#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "fakes/fake_generation.h"
#include "fakes/inline_workers.h"
#include "host_rpc.h"
#include "loads.h"
#include "mocks/mock_host_registry.h"
#include "mocks/mock_plugin_logs.h"
#include "mocks/mock_reactor.h"
#include "mocks/reactor_clock.h"
#include "mocks/recorded_exchange.h"
#include "plugin_calls.h"
#include "plugin_events.h"
#include "sessions.h"
#include "shared_ports.h"

namespace svc::hosts {

using common::Json;
using svc::test::FakeReactor;
using svc::test::ReactorClock;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;

inline Json parsed(std::string_view text) {
  auto json = Json::parse(text);
  return json ? std::move(json).value() : Json();
}

/// A daemon's end of the socket: what it was sent.
class RecordedSocket final : public http::IWebSocket {
 public:
  void sendText(std::shared_ptr<const std::string> text) override { texts.push_back(*text); }
  void sendBinary(std::shared_ptr<const std::string> bytes) override { texts.push_back(*bytes); }
  void close(std::uint16_t code, std::string reason) override {
    if (closed.empty()) {
      closed = fmt::format("{} {}", code, reason);
    }
  }
  void setReading(bool /*on*/) override {}

  /// The oldest message not yet looked at.
  Json next() { return read < texts.size() ? parsed(texts.at(read++)) : Json(); }
  [[nodiscard]] std::size_t unread() const { return texts.size() - read; }

  std::vector<std::string> texts;
  std::size_t read = 0;
  std::string closed;  ///< "1000 why"; the first one
};

/// Sessions and what hangs on them, over a reactor driven by hand.
class HostsFixture : public ::testing::Test {
 protected:
  /// One daemon with its open session.
  struct Daemon {
    SessionPtr session;
    std::shared_ptr<RecordedSocket> socket = std::make_shared<RecordedSocket>();

    void says(const std::string& text) const { session->onText(text); }
    void answers(const Json& request, const std::string& result) const {
      says(fmt::format(
          R"({{"type":"host-rpc.response","requestId":{},"commandType":"{}","ok":true,"result":{}}})",
          request["requestId"].dump(), request["command"]["type"].asString(), result));
    }
    void fails(const Json& request, const std::string& code, const std::string& message,
               const std::string& details = {}) const {
      says(fmt::format(
          R"({{"type":"host-rpc.response","requestId":{},"commandType":"{}","ok":false,"errorCode":"{}","errorMessage":"{}"{}}})",
          request["requestId"].dump(), request["command"]["type"].asString(), code, message,
          details.empty() ? "" : R"(,"errorDetails":)" + details));
    }
  };

  HostsFixture() {
    ON_CALL(registry_, find).WillByDefault([this](std::string_view id) {
      const auto found = hosts_.find(std::string(id));
      return found == hosts_.end() ? std::nullopt : std::optional(found->second);
    });
    ON_CALL(registry_, authenticate).WillByDefault([](std::string_view key) -> Result<std::string> {
      if (key.starts_with("svch_")) {
        return std::string(key.substr(5));
      }
      return Error{errc::kUnauthorized, "the host key is not valid"};
    });
    ON_CALL(registry_, connected).WillByDefault([this](const std::string& id, const auto&) {
      states_.push_back("connected " + id);
    });
    ON_CALL(registry_, disconnected).WillByDefault([this](const std::string& id) {
      states_.push_back("disconnected " + id);
    });
    ON_CALL(registry_, rejectedProtocol)
        .WillByDefault([this](const std::string& id, int version, std::string_view platform) {
          states_.push_back(fmt::format("rejected {} {} {}", id, version, platform));
          return platform == "linux";
        });
    ON_CALL(logs_, append).WillByDefault([this](const std::string& id, plugins::LogLine line) {
      lines_.push_back(fmt::format("{} {} {} {}: {}", id, line.generation, line.level, line.source,
                                   line.message));
    });
    sessions_->listen(*rpc_);
    sessions_->listen(*calls_);
    sessions_->listen(events_);
    addHost("host_1");
    addHost("host_2");
  }

  /// What is still asked is answered here, into members of the fixture; one with members of its own ends first.
  ~HostsFixture() override { sessions_->shutDown(); }

  void addHost(const std::string& id) {
    hosts_[id] = {.id = id, .name = "Name of " + id, .type = "persistent"};
  }

  /// The session of a daemon that is not connected yet.
  SessionPtr openSession(const std::string& host = "host_1", const std::string& instance = "i1") {
    auto opened = sessions_->open(host,
                                  {.instance_id = instance,
                                   .host_name = "box",
                                   .host_type = "persistent",
                                   .platform = "linux",
                                   .data_directory = "/d"},
                                  loads_.identities());
    return opened ? opened.value() : nullptr;
  }
  Daemon connect(const std::string& host = "host_1", const std::string& instance = "i1") {
    Daemon daemon{.session = openSession(host, instance)};
    const auto handler = sessions_->accept(daemon.session->id(), host);
    EXPECT_TRUE(handler.ok());
    daemon.session->onOpen(daemon.socket);
    return daemon;
  }

  static HostArtifactPtr artifact(const std::string& identity, const std::string& bytes = "code") {
    auto made = std::make_shared<HostArtifact>();
    made->identity = identity;
    made->digest = std::string(64, 'a');
    made->bytes = std::make_shared<const std::string>(bytes);
    return made;
  }
  std::shared_ptr<plugins::FakeGeneration> load(const std::string& plugin_id, std::uint64_t load_id,
                                                HostArtifactPtr made) {
    auto generation = std::make_shared<plugins::FakeGeneration>(plugin_id, load_id);
    loads_.commit(generation, std::move(made));
    return generation;
  }

  /// A call of a plugin's script; its outcome appears in outcomes_ as "<number> <output>" or "<number> <code>: <message>".
  void call(std::uint64_t load_id, std::uint64_t number, const std::string& input = "1",
            const std::string& host = "host_1",
            std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    PluginCall made;
    made.load_id = load_id;
    made.number = number;
    made.host_id = host;
    made.method = "\"m\"";
    made.timeout = timeout;
    made.argument = input;
    made.done = [this, number](Result<std::string> result) {
      outcomes_.push_back(result ? fmt::format("{} {}", number, result.value())
                                 : fmt::format("{} {}: {}", number, result.error().code.name(),
                                               result.error().message));
      if (!result) {
        details_ = result.error().details;
      }
    };
    calls_->call(std::move(made));
  }

  std::ostringstream log_text_;
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>(
      "hosts", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_));
  FakeReactor reactor_;
  ReactorClock clock_{reactor_};
  test::InlineWorkers workers_;
  ::testing::NiceMock<machines::MockHostRegistry> registry_;
  ::testing::NiceMock<plugins::MockPluginLogs> logs_;
  Loads loads_;
  std::shared_ptr<Sessions> sessions_ =
      std::make_shared<Sessions>(reactor_, clock_, registry_, log_);
  std::shared_ptr<HostRpc> rpc_ =
      std::make_shared<HostRpc>(reactor_, workers_, clock_, registry_, *sessions_);
  std::shared_ptr<PluginCalls> calls_ = std::make_shared<PluginCalls>(loads_, *rpc_, *sessions_);
  SharedPorts ports_{*sessions_};
  PluginEvents events_{loads_, logs_};

  std::map<std::string, machines::Host> hosts_;
  std::vector<std::string> states_;
  std::vector<std::string> lines_;
  std::vector<std::string> outcomes_;
  std::string details_;  ///< of the last failed call
};

}  // namespace svc::hosts
