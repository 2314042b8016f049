#include "host_routes.h"

#include "fixture.h"
#include "mocks/recorded_exchange.h"

namespace svc::machines {
namespace {

using common::Json;
using svc::test::RecordedExchange;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HostRoutesTest : public MachinesFixture {
 protected:
  HostRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, std::string body = {},
                                         const std::string& host_id = {}) {
    http::Request request;
    request.body = std::move(body);
    request.path_parameters = {{"hostId", host_id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }

  svc::test::RecordedRoutes server_;
  std::string join_address_;
  std::vector<std::string> removed_;
  HostRoutes routes_{workers_, *registry_, [this] { return join_address_; },
                     [this](const Json& record) { removed_.push_back(record["id"].asString()); }};
};

TEST_F(HostRoutesTest, AreLocal) {
  EXPECT_EQ(server_.routeCount(), 11U);
  for (const char* key :
       {"GET /api/v1/hosts", "DELETE /api/v1/hosts/:hostId", "POST /api/v1/hosts/join-codes",
        "POST /api/v1/hosts/:hostId/retry-update"}) {
    EXPECT_EQ(server_.routeOf(key).guard, http::Guard::kLocal) << key;
  }
}

TEST_F(HostRoutesTest, ListAndShow) {
  const auto id = enrolled().host_id;
  const auto list = send("GET /api/v1/hosts")->json()["hosts"];
  ASSERT_EQ(list.items().size(), 2U);
  EXPECT_EQ(list.items()[0]["role"].asString(), "server");
  const auto shown = send("GET /api/v1/hosts/:hostId", {}, id);
  EXPECT_EQ(shown->status(), 200U);
  EXPECT_EQ(shown->json()["host"].dump(), list.items()[1].dump());
}

TEST_F(HostRoutesTest, AnUnknownHostIsNotFound) {
  for (const char* route : {"GET /api/v1/hosts/:hostId", "DELETE /api/v1/hosts/:hostId"}) {
    const auto answer = send(route, {}, "host_x");
    EXPECT_EQ(answer->status(), 404U) << route;
    EXPECT_EQ(answer->errorCode(), "not_found") << route;
  }
  EXPECT_EQ(send("PATCH /api/v1/hosts/:hostId", R"({"name":"x"})", "host_x")->status(), 404U);
}

TEST_F(HostRoutesTest, Renames) {
  const auto id = enrolled().host_id;
  const auto renamed = send("PATCH /api/v1/hosts/:hostId", R"({"name":" lap top "})", id);
  EXPECT_EQ(renamed->status(), 200U);
  EXPECT_EQ(renamed->json()["host"]["name"].asString(), "lap top");
}

TEST_F(HostRoutesTest, ANameMustBeOne) {
  const auto id = enrolled().host_id;
  for (const char* body : {"{}", R"({"name":null})", R"({"name":1})", R"({"name":""})",
                           R"({"name":"a\nb"})", R"({"name":"a\u202eb"})", "[]"}) {
    const auto refused = send("PATCH /api/v1/hosts/:hostId", body, id);
    EXPECT_EQ(refused->status(), 400U) << body;
    EXPECT_EQ(refused->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(send("PATCH /api/v1/hosts/:hostId", R"({"name":"x","colour":"red"})", id)->status(),
            200U)
      << "what is unknown is ignored";
  EXPECT_EQ(send("PATCH /api/v1/hosts/:hostId", "{", id)->errorCode(), "invalid_json");
}

TEST_F(HostRoutesTest, Removes) {
  const auto id = enrolled().host_id;
  const auto removed = send("DELETE /api/v1/hosts/:hostId", {}, id);
  EXPECT_EQ(removed->status(), 200U);
  EXPECT_EQ(removed->json().dump(), R"({"ok":true})");
  EXPECT_EQ(registry_->find(id), std::nullopt);
  EXPECT_EQ(removed_, std::vector{id});
  const auto refused = send("DELETE /api/v1/hosts/:hostId", {}, registry_->serverHostId());
  EXPECT_EQ(refused->status(), 409U);
  EXPECT_EQ(refused->errorCode(), "conflict");
  EXPECT_EQ(removed_.size(), 1U);
}

TEST_F(HostRoutesTest, MachinesAreNotMade) {
  const auto refused = send("POST /api/v1/hosts", R"({"providerId":"cloud"})");
  EXPECT_EQ(refused->status(), 501U);
  EXPECT_EQ(refused->errorCode(), "not_supported");
}

TEST_F(HostRoutesTest, ThereAreNoProvidersWhileNobodyRunsThem) {
  EXPECT_EQ(send("GET /api/v1/hosts/providers")->json()["providers"].dump(), "[]");
}

TEST_F(HostRoutesTest, WhatOnlyMachinesOfProvidersHaveIsExplained) {
  const auto id = enrolled().host_id;
  for (const char* what : {"suspend", "resume", "retry-cleanup"}) {
    const auto route = std::string("POST /api/v1/hosts/:hostId/") + what;
    const auto refused = send(route, {}, id);
    EXPECT_EQ(refused->status(), 501U) << what;
    EXPECT_EQ(refused->errorCode(), "not_supported") << what;
    EXPECT_THAT(refused->json()["error"]["message"].asString(), HasSubstr("\"mac\" was enrolled"));
    EXPECT_EQ(send(route, {}, "host_x")->status(), 404U) << what;
  }
}

TEST_F(HostRoutesTest, AnUpdateCanBeTriedAgain) {
  const auto id = enrolled().host_id;
  const auto* route = "POST /api/v1/hosts/:hostId/retry-update";
  const auto useless = send(route, {}, id);
  EXPECT_EQ(useless->status(), 409U);
  EXPECT_THAT(useless->json()["error"]["message"].asString(), HasSubstr("nothing to update"));
  EXPECT_TRUE(registry_->rejectedProtocol(id, 0, "linux-x64"));
  const auto retried = send(route, {}, id);
  EXPECT_EQ(retried->status(), 200U);
  EXPECT_EQ(retried->json()["host"]["id"].asString(), id);
  EXPECT_EQ(send(route, {}, "host_x")->status(), 404U);
}

TEST_F(HostRoutesTest, GivesJoinCodes) {
  const auto given = send("POST /api/v1/hosts/join-codes");
  ASSERT_EQ(given->status(), 201U);
  EXPECT_THAT(given->json()["joinCode"].asString(), StartsWith("svce_"));
  EXPECT_THAT(given->json()["hostId"].asString(), StartsWith("host_"));
  EXPECT_EQ(given->json()["expiresAt"].asInteger(), clock_.nowMs() + 15 * 60 * 1000);
  EXPECT_TRUE(given->json()["serverUrl"].isNull());
  EXPECT_EQ(registry_->list().size(), 1U);
  EXPECT_TRUE(
      enroll(given->json()["joinCode"].asString(), given->json()["hostId"].asString()).ok());
}

TEST_F(HostRoutesTest, AJoinCodeMayNameTheHost) {
  join_address_ = "https://svc.example";
  const auto given = send("POST /api/v1/hosts/join-codes", R"({"hostId":"my-box","name":" box "})");
  ASSERT_EQ(given->status(), 201U);
  EXPECT_EQ(given->json()["hostId"].asString(), "my-box");
  EXPECT_EQ(given->json()["serverUrl"].asString(), "https://svc.example");
  ASSERT_TRUE(enroll(given->json()["joinCode"].asString()).ok());
  EXPECT_EQ(record("my-box")["name"].asString(), "box");
}

TEST_F(HostRoutesTest, AJoinCodeIsAskedForStrictly) {
  for (const char* body : {R"({"hostId":""})", R"({"hostId":"a/b"})", R"({"hostId":1})",
                           R"({"name":""})", R"({"name":[]})"}) {
    const auto refused = send("POST /api/v1/hosts/join-codes", body);
    EXPECT_EQ(refused->status(), 400U) << body;
    EXPECT_EQ(refused->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(
      send("POST /api/v1/hosts/join-codes", R"({"hostId":null,"name":null,"ttl":1})")->status(),
      201U);
}

TEST_F(HostRoutesTest, AFullServerSaysSo) {
  workers_.full = true;
  EXPECT_EQ(send("POST /api/v1/hosts/join-codes")->errorCode(), "overloaded");
}

}  // namespace
}  // namespace svc::machines
