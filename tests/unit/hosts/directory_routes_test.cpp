#include "directory_routes.h"

#include "svc/common/limits/hosts.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

class DirectoryRoutesTest : public HostsFixture {
 protected:
  DirectoryRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> ask(const std::string& route, const std::string& query,
                                        const std::string& body = {},
                                        const std::string& host = "host_1") {
    http::Request request;
    request.path_parameters = {{"hostId", host}};
    request.query = query;
    request.body = body;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    reactor_.runAll();
    return exchange;
  }
  static constexpr const char* kDirectory = "GET /api/v1/hosts/:hostId/directory";
  static constexpr const char* kPathsExist = "POST /api/v1/hosts/:hostId/paths-exist";

  RecordedRoutes server_;
  DirectoryRoutes routes_{*rpc_};
};

TEST_F(DirectoryRoutesTest, ListsADirectoryOfAMachine) {
  const auto daemon = connect();
  const auto exchange = ask(kDirectory, "path=%2Fhome%2Fa%20b");
  const auto request = daemon.socket->next();
  EXPECT_EQ(request["command"].dump(), R"({"type":"host.directory","path":"/home/a b"})");
  daemon.answers(request, R"({"directory":"/home/a b","parent":"/home","entries":[]})");
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->answer->body,
            R"({"ok":true,"directory":"/home/a b","parent":"/home","entries":[]})");
}

TEST_F(DirectoryRoutesTest, WithoutAPathTheDaemonChooses) {
  const auto daemon = connect();
  ask(kDirectory, "");
  EXPECT_EQ(daemon.socket->next()["command"].dump(), R"({"type":"host.directory"})");
}

TEST_F(DirectoryRoutesTest, ChecksPaths) {
  const auto daemon = connect();
  const auto exchange = ask(kPathsExist, "", R"({"paths":["/a","/b"],"more":1})");
  const auto request = daemon.socket->next();
  EXPECT_EQ(request["command"].dump(), R"({"type":"host.paths-exist","paths":["/a","/b"]})");
  daemon.answers(request, R"({"existence":{"/a":true,"/b":false}})");
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"existence":{"/a":true,"/b":false}})");
  for (const auto* body : {R"({})", R"({"paths":[1]})", R"({"paths":["rel"]})"}) {
    EXPECT_EQ(ask(kPathsExist, "", body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(ask(kPathsExist, "", "{")->errorCode(), "invalid_json");
}

TEST_F(DirectoryRoutesTest, SaysWhyThereIsNoAnswer) {
  EXPECT_EQ(ask(kDirectory, "", "", "nobody")->status(), 404U);
  const auto offline = ask(kDirectory, "");
  EXPECT_EQ(offline->status(), 502U);
  EXPECT_EQ(offline->errorCode(), "host_unavailable");
  const auto daemon = connect();
  const auto failed = ask(kDirectory, "path=/x");
  daemon.fails(daemon.socket->next(), "not_found", "no such directory");
  EXPECT_EQ(failed->status(), 502U);
  EXPECT_EQ(failed->errorCode(), "host_error");
  EXPECT_EQ(failed->json()["error"]["details"].dump(),
            R"({"code":"not_found","message":"no such directory"})");
  for (const auto* answer : {"[1]", R"({"ok":false,"error":{}})", R"({"a":[1 2]})",
                             R"({"directory":7,"parent":[],"entries":"x"})"}) {
    const auto odd = ask(kDirectory, "path=/x");
    daemon.answers(daemon.socket->next(), answer);
    EXPECT_EQ(odd->errorCode(), "host_error") << answer;
  }
  const auto late = ask(kDirectory, "path=/x");
  for (auto waited = std::chrono::milliseconds(0); waited < limits::kHostCall;
       waited += limits::kSessionHeartbeat) {
    daemon.says(R"({"type":"heartbeat"})");
    reactor_.advance(limits::kSessionHeartbeat);
  }
  EXPECT_EQ(late->status(), 504U);
}

TEST_F(DirectoryRoutesTest, WhatNeedsADesktopIsNotSupported) {
  EXPECT_EQ(ask("POST /api/v1/hosts/:hostId/pick-folder", "")->errorCode(), "not_supported");
}

}  // namespace
}  // namespace svc::hosts
