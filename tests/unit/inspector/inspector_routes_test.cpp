#include "inspector_routes.h"

#include <deque>
#include <filesystem>

#include "mocks/mock_generation.h"
#include "mocks/mock_loaded_plugins.h"
#include "mocks/recorded_exchange.h"

namespace svc::inspector {
namespace {

using test::RecordedExchange;
using ::testing::_;
using ::testing::HasSubstr;

/// Keeps jobs until the test runs them.
class QueuedWorkers final : public IWorkerPool {
 public:
  bool submit(Task job) override {
    jobs_.push_back(std::move(job));
    return true;
  }
  void runAll() {
    while (!jobs_.empty()) {
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      job();
    }
  }

 private:
  std::deque<Task> jobs_;
};

class InspectorRoutesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ON_CALL(loaded, acquire("todo", _))
        .WillByDefault([this](const std::string&, Completion<plugins::GenerationPtr> done) {
          done(plugins::GenerationPtr(generation));
        });
    ON_CALL(loaded, acquire("nobody", _))
        .WillByDefault([](const std::string&, Completion<plugins::GenerationPtr> done) {
          done(Error{errc::kUnknownPlugin, "there is no plugin \"nobody\""});
        });
    ON_CALL(*generation, invoke(_, _, _))
        .WillByDefault([this](const std::string&, script::Invocation invocation,
                              Completion<std::string> done) {
          invoked.push_back(invocation);
          if (invocation.function == "inspector.heap" && answer) {
            static_cast<void>(snapshots->append(invocation.meta + "\n" + chunk));
          }
          done(answer);
        });
    ASSERT_TRUE(routes.attach(server));
  }

  std::shared_ptr<RecordedExchange> call(const std::string& route, const std::string& id = "todo",
                                         const std::string& body = "") {
    http::Request request;
    request.path_parameters = {{"id", id}};
    request.body = body;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server.call(route, exchange);
    workers.runAll();
    return exchange;
  }

  static constexpr auto kHeap = "POST /api/v1/plugins/:id/heap-snapshot";
  static constexpr auto kProfile = "POST /api/v1/plugins/:id/profile";
  ::testing::NiceMock<plugins::MockLoadedPlugins> loaded;
  std::shared_ptr<::testing::NiceMock<plugins::MockGeneration>> generation =
      std::make_shared<::testing::NiceMock<plugins::MockGeneration>>();
  QueuedWorkers workers;
  test::RecordedRoutes server;
  std::shared_ptr<Snapshots> snapshots =
      std::make_shared<Snapshots>(std::filesystem::temp_directory_path());
  InspectorRoutes routes{loaded, workers, snapshots};
  Result<std::string> answer = std::string("{}");
  std::string chunk;
  std::vector<script::Invocation> invoked;
};

TEST_F(InspectorRoutesTest, AnswersTheAddressForDevTools) {
  answer = std::string(R"({"url":"ws://127.0.0.1:5000/u"})");
  const auto exchange = call("POST /api/v1/plugins/:id/inspector");
  EXPECT_EQ(exchange->json()["url"].asString(), "ws://127.0.0.1:5000/u");
  EXPECT_EQ(exchange->json()["devtoolsUrl"].asString(),
            "devtools://devtools/bundled/js_app.html?v8only=true&ws=127.0.0.1:5000/u");
}

TEST_F(InspectorRoutesTest, CloseSaysWhetherItWasOpen) {
  answer = std::string(R"({"wasOpen":true})");
  EXPECT_TRUE(call("DELETE /api/v1/plugins/:id/inspector")->json()["wasOpen"].asBool());
  EXPECT_EQ(invoked.back().function, "inspector.close");
}

TEST_F(InspectorRoutesTest, ProfilesAsLongAsAsked) {
  answer = std::string(R"({"nodes":[]})");
  EXPECT_EQ(call(kProfile)->answer->body, R"({"ok":true,"profile":{"nodes":[]}})");
  EXPECT_EQ(invoked.back().meta, R"({"seconds":5})");
  static_cast<void>(call(kProfile, "todo", R"({"seconds":60})"));
  EXPECT_EQ(invoked.back().meta, R"({"seconds":60})");
}

TEST_F(InspectorRoutesTest, RefusesAnImpossibleTime) {
  for (const auto* const body : {R"({"seconds":0})", R"({"seconds":61})", R"({"seconds":"5"})"}) {
    const auto exchange = call(kProfile, "todo", body);
    EXPECT_EQ(exchange->errorCode(), "invalid_input");
    EXPECT_THAT(exchange->json()["error"]["message"].asString(), HasSubstr("from 1 to 60, got "));
  }
  EXPECT_EQ(call(kProfile, "todo", "{")->errorCode(), "invalid_json");
  EXPECT_TRUE(invoked.empty());
}

TEST_F(InspectorRoutesTest, StreamsASnapshotOnceItIsWhole) {
  chunk = std::string(600'000, 'x');
  const auto exchange = call(kHeap);
  ASSERT_TRUE(exchange->head);
  EXPECT_EQ(exchange->head->status, 200U);
  EXPECT_EQ(exchange->written, chunk);
  EXPECT_TRUE(exchange->ended);
}

TEST_F(InspectorRoutesTest, FailsBeforeTheFirstByteWhenThePluginDoes) {
  answer = Error{errc::kHandlerError, "no space left"};
  const auto exchange = call(kHeap);
  EXPECT_FALSE(exchange->head);
  EXPECT_EQ(exchange->errorCode(), "handler_error");
}

TEST_F(InspectorRoutesTest, NamesAnUnknownPlugin) {
  for (const auto* const route : {"POST /api/v1/plugins/:id/inspector", kProfile, kHeap}) {
    EXPECT_EQ(call(route, "nobody")->status(), 404U) << route;
  }
}

TEST_F(InspectorRoutesTest, TellsThePluginWhenTheCallerHasGone) {
  const auto exchange = call(kProfile);
  EXPECT_FALSE(invoked.back().stop.stop_requested());
  exchange->disconnect();
  EXPECT_TRUE(invoked.back().stop.stop_requested());
}

}  // namespace
}  // namespace svc::inspector
