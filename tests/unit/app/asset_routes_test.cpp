#include "asset_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dist_directory.h"
#include "fakes/fake_generation.h"
#include "mocks/mock_loaded_plugins.h"
#include "mocks/recorded_exchange.h"

namespace svc::app {
namespace {

using ::testing::_;
using ::testing::HasSubstr;

class DirectWorkers final : public IWorkerPool {
 public:
  bool full = false;
  int jobs = 0;

  [[nodiscard]] bool submit(Task job) override {
    if (full) {
      return false;
    }
    ++jobs;
    job();
    return true;
  }
};

class AssetRoutesTest : public ::testing::Test {
 protected:
  AssetRoutesTest() {
    EXPECT_TRUE(routes_.attach(server_));
    ON_CALL(loaded_, acquire)
        .WillByDefault([this](const std::string& id, Completion<plugins::GenerationPtr> done) {
          if (id == "todo" && generation_) {
            done(plugins::GenerationPtr(generation_));
          } else if (id == "todo") {
            done(Error{errc::kPluginNotRunning, "plugin \"todo\" is not running: disabled"});
          } else {
            done(Error{errc::kUnknownPlugin, "no plugin \"" + id + "\" is installed"});
          }
        });
  }
  void serveBundle(const AppBundlePtr& bundle) {
    shelf_.stage("todo", bundle);
    shelf_.commit("todo");
    generation_ = std::make_shared<plugins::FakeGeneration>("todo", 1);
    generation_->setRegistration("app", describe(*bundle, "todo"));
  }
  std::shared_ptr<test::RecordedExchange> get(const std::string& file,
                                              const std::string& query = "",
                                              std::vector<http::Header> headers = {}) {
    return call("GET /api/v1/plugins/:id/assets/" + file, {{"id", "todo"}}, query,
                std::move(headers));
  }
  std::shared_ptr<test::RecordedExchange> call(
      const std::string& route, std::vector<std::pair<std::string, std::string>> parameters,
      const std::string& query, std::vector<http::Header> headers) {
    http::Request request;
    request.method = "GET";
    request.query = query;
    request.headers = std::move(headers);
    request.path_parameters = std::move(parameters);
    auto exchange = std::make_shared<test::RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  static std::string header(const test::RecordedExchange& exchange, const std::string& name) {
    for (const auto& each : exchange.answer->headers) {
      if (each.name == name) {
        return each.value;
      }
    }
    return {};
  }

  BundleShelf shelf_;
  ::testing::NiceMock<plugins::MockLoadedPlugins> loaded_;
  DirectWorkers workers_;
  test::RecordedRoutes server_;
  AssetRoutes routes_{shelf_, loaded_, workers_};
  std::shared_ptr<plugins::FakeGeneration> generation_;
};

TEST_F(AssetRoutesTest, ABundleByItsHashMayBeKeptForEver) {
  serveBundle(makeBundle("0123456789abcdef", "the js", "the css"));
  const auto js = get("app.js", "h=0123456789abcdef&r=1");
  EXPECT_EQ(js->status(), 200U);
  EXPECT_EQ(js->answer->body, "the js");
  EXPECT_EQ(js->answer->content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(header(*js, "cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(header(*js, "x-content-type-options"), "nosniff");
  EXPECT_EQ(header(*js, "vary"), "Accept-Encoding");
  const auto css = get("app.css", "h=0123456789abcdef");
  EXPECT_EQ(css->answer->body, "the css");
  EXPECT_EQ(css->answer->content_type, "text/css; charset=utf-8");
}

TEST_F(AssetRoutesTest, WithoutAHashThePresentBytesAreRevalidated) {
  serveBundle(makeBundle("0123456789abcdef", "the js"));
  const auto js = get("app.js");
  EXPECT_EQ(js->answer->body, "the js");
  EXPECT_EQ(header(*js, "cache-control"), "no-cache");
  EXPECT_EQ(header(*js, "etag"), "\"0123456789abcdef\"");
  const auto again = get("app.js", "", {{"If-None-Match", "\"0123456789abcdef\""}});
  EXPECT_EQ(again->status(), 304U);
  EXPECT_EQ(again->answer->body, "");
}

TEST_F(AssetRoutesTest, PreviousBundlesAreServedByHashAndNeverOthers) {
  serveBundle(makeBundle("old", "old js", "old css"));
  serveBundle(makeBundle("new", "new js"));
  EXPECT_EQ(get("app.js")->answer->body, "new js");
  EXPECT_EQ(get("app.js", "h=old")->answer->body, "old js");
  EXPECT_EQ(get("app.css", "h=old")->answer->body, "old css");
  const auto other = get("app.js", "h=gone");
  EXPECT_EQ(other->status(), 404U);
  EXPECT_EQ(other->errorCode(), "unknown_asset");
  EXPECT_EQ(header(*other, "cache-control"), "no-store");
  EXPECT_EQ(get("app.css", "h=new")->errorCode(), "unknown_asset");
}

TEST_F(AssetRoutesTest, NeedsALoadedGeneration) {
  serveBundle(makeBundle("aa"));
  generation_ = nullptr;
  const auto js = get("app.js", "h=aa");
  EXPECT_EQ(js->status(), 404U);
  EXPECT_EQ(js->errorCode(), "unknown_asset");
  const auto other = call("GET /api/v1/plugins/:id/assets/app.js", {{"id", "other"}}, "", {});
  EXPECT_EQ(other->errorCode(), "unknown_plugin");
}

TEST_F(AssetRoutesTest, ServesTheSameBytesByContent) {
  serveBundle(makeBundle("aa", "the js"));
  const auto found = call("GET /api/v1/plugin-app-assets/:hash/app.js", {{"hash", "aa"}}, "", {});
  EXPECT_EQ(found->answer->body, "the js");
  EXPECT_EQ(header(*found, "cache-control"), "public, max-age=31536000, immutable");
  const auto missing = call("GET /api/v1/plugin-app-assets/:hash/app.js", {{"hash", "bb"}}, "", {});
  EXPECT_EQ(missing->errorCode(), "unknown_asset");
  EXPECT_EQ(header(*missing, "cache-control"), "no-store");
}

TEST_F(AssetRoutesTest, LargeFilesAreCompressedOnAWorker) {
  serveBundle(makeBundle("aa", std::string(1024, 'x'), std::string(1023, 'x')));
  const auto js = get("app.js", "", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(header(*js, "content-encoding"), "br");
  EXPECT_LT(js->answer->body.size(), 100U);
  EXPECT_EQ(workers_.jobs, 1);
  const auto css = get("app.css", "", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(header(*css, "content-encoding"), "");
  EXPECT_EQ(css->answer->body.size(), 1023U);
  workers_.full = true;
  EXPECT_EQ(get("app.js", "", {{"Accept-Encoding", "br"}})->answer->body.size(), 1024U);
}

}  // namespace
}  // namespace svc::app
