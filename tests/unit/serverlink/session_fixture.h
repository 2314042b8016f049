#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake_transport.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "log_lines.h"
#include "session.h"

namespace svc::serverlink {

using namespace std::chrono_literals;

inline constexpr auto kOpened =
    R"({"sessionId":"s 1","heartbeatIntervalMs":5000,"leaseTimeoutMs":30000,)"
    R"("pluginHostGenerations":[{"pluginId":"todo","generation":"g1"}],)"
    R"("watchSet":{"generation":0},"connectShares":{"generation":0,"ports":[]},"retiredEnvironmentIds":[]})";
inline constexpr auto kHeartbeat = R"({"type":"heartbeat"})";
inline constexpr auto kAck = R"({"type":"heartbeat-ack"})";

/// A session on a network, a clock and a main thread that the test plays.
class SessionTest : public ::testing::Test, public ISessionOwner {
 protected:
  SessionTest() { make(false); }

  void make(bool auto_update) {
    session_ = std::make_shared<Session>(
        Session::Surroundings{transport_, main_, clock_, *this, log_.logger,
                              [this] { return random_; }},
        SessionIdentity{.endpoint = {ServerAddress::parse("http://10.0.0.1:4700/svc").value()},
                        .host_id = "host_1",
                        .host_key = "svch_key",
                        .host_type = "persistent",
                        .host_name = "mac",
                        .instance_id = "i1",
                        .platform = "linux-x64",
                        .data_directory = "/data",
                        .protocol_version = 1,
                        .auto_update = auto_update});
  }

  void onSessionOpened(const std::vector<PluginGeneration>& generations) override {
    generations_.push_back(generations);
  }
  void onSessionLost() override { ++lost_; }
  void onRequest(CommandRequest request, Completion<std::string> answer) override {
    requests_.push_back(std::move(request));
    answers_.push_back(std::move(answer));
  }
  void onMessage(const std::string& type, const std::string& text) override {
    forwarded_.emplace_back(type, text);
  }
  void onUpdateOffered(std::int64_t server_protocol) override {
    offers_.push_back(server_protocol);
  }
  void onSessionRefused() override { ++refused_; }
  void onSessionEnded(SessionEnd end, const std::string& why) override {
    ends_.push_back(end);
    why_ = why;
  }

  void advance(std::chrono::milliseconds delta) {
    for (; delta > 0ms; delta -= std::min(delta, 100ms)) {
      clock_.advance(std::min(delta, 100ms));
      main_.advance(std::min(delta, 100ms));
    }
  }
  FakeTransport::SocketRecord& socket() { return *transport_.sockets.back(); }
  void openSession() {
    transport_.answer(201, kOpened);
    socket().opened();
  }
  /// How long the session waits before it asks again; at most an hour.
  std::chrono::milliseconds waits() {
    const auto before = main_.now();
    while (transport_.posts.empty() && main_.now() - before < 1h) {
      advance(100ms);
    }
    return main_.now() - before;
  }

  LogLines log_;
  FakeTransport transport_;
  svc::test::FakeMainExecutor main_;
  svc::test::FakeClock clock_;
  double random_ = 0.5;  // neither earlier nor later
  std::vector<std::vector<PluginGeneration>> generations_;
  std::vector<std::pair<std::string, std::string>> forwarded_;
  std::vector<CommandRequest> requests_;
  std::vector<Completion<std::string>> answers_;
  std::vector<std::int64_t> offers_;
  std::vector<SessionEnd> ends_;
  int lost_ = 0;
  int refused_ = 0;
  std::string why_;
  std::shared_ptr<Session> session_;
};

}  // namespace svc::serverlink
