#include "artifact_route.h"

#include "fakes/inline_workers.h"
#include "fixture.h"

namespace svc::hosts {
namespace {

class ArtifactRouteTest : public HostsFixture {
 protected:
  ArtifactRouteTest() { EXPECT_TRUE(route_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> get(const std::string& id, const std::string& digest,
                                        std::vector<http::Header> headers = {
                                            {"authorization", "Bearer svch_host_1"}}) {
    http::Request request;
    request.path_parameters = {{"id", id}, {"sha256", digest}};
    request.headers = std::move(headers);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /internal/plugins/:id/host/:sha256", exchange);
    return exchange;
  }
  static std::string headerOf(const RecordedExchange& exchange, std::string_view name) {
    for (const auto& header : exchange.answer->headers) {
      if (header.name == name) {
        return header.value;
      }
    }
    return {};
  }

  const std::string digest_ = std::string(64, 'a');
  RecordedRoutes server_;
  test::InlineWorkers workers_;
  ArtifactRoute route_{registry_, loads_, workers_};
};

TEST_F(ArtifactRouteTest, ServesTheBytesToHosts) {
  load("todo", 1, artifact("g1", "code"));
  const auto exchange = get("todo", digest_);
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->answer->body, "code");
  EXPECT_EQ(exchange->answer->content_type, "text/javascript");
  EXPECT_EQ(headerOf(*exchange, "etag"), '"' + digest_ + '"');
  EXPECT_EQ(headerOf(*exchange, "cache-control"), "private, immutable, max-age=31536000");
}

TEST_F(ArtifactRouteTest, LargeBytesAreTheSame) {
  const std::string large(3UL * 1024 * 1024, 'x');
  load("todo", 1, artifact("g1", large));
  EXPECT_EQ(get("todo", digest_)->answer->body, large);
  workers_.full = true;
  EXPECT_EQ(get("todo", digest_)->answer->body, large);
}

TEST_F(ArtifactRouteTest, ACopyThatIsKnownIsNotSentAgain) {
  load("todo", 1, artifact("g1"));
  const auto exchange =
      get("todo", digest_,
          {{"authorization", "Bearer svch_host_1"}, {"if-none-match", '"' + digest_ + '"'}});
  EXPECT_EQ(exchange->status(), 304U);
  EXPECT_EQ(exchange->answer->body, "");
}

TEST_F(ArtifactRouteTest, NeedsAHostKey) {
  load("todo", 1, artifact("g1"));
  EXPECT_EQ(get("todo", digest_, {})->status(), 401U);
  EXPECT_EQ(get("todo", digest_, {{"authorization", "Bearer x"}})->errorCode(), "unauthorized");
}

TEST_F(ArtifactRouteTest, WhatIsMalformedOrUnknownIsNotFound) {
  load("todo", 1, artifact("g1"));
  for (const auto& [id, digest] :
       std::vector<std::pair<std::string, std::string>>{{"todo", std::string(64, 'b')},
                                                        {"todo", std::string(64, 'A')},
                                                        {"todo", "a"},
                                                        {"todo", ""},
                                                        {"todo", "../../etc/passwd"},
                                                        {"other", digest_}}) {
    const auto exchange = get(id, digest);
    EXPECT_EQ(exchange->status(), 404U) << digest;
    EXPECT_EQ(exchange->errorCode(), "plugin_host_artifact_not_found") << digest;
    EXPECT_EQ(headerOf(*exchange, "cache-control"), "no-store");
  }
}

TEST_F(ArtifactRouteTest, AnArtifactGoesWithTheEndOfItsDisposal) {
  load("todo", 1, artifact("g1"));
  calls_->dispose(1, {});
  EXPECT_EQ(get("todo", digest_)->status(), 404U);
}

}  // namespace
}  // namespace svc::hosts
