#include "thread_routes.h"

#include "svc/common/codes.h"

#include "mocks/mock_projects.h"
#include "mocks/recorded_exchange.h"
#include "runner_fixture.h"

namespace svc::threads {
namespace {

using svc::test::RecordedExchange;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ThreadRoutesTest : public RunnerFixture {
 protected:
  ThreadRoutesTest()
      : extras_(*book_),
        queue_(*book_),
        log_(*book_),
        interactions_(*book_, *runner_),
        routes_(workers_,
                Desk{*book_, *records_, extras_, queue_, interactions_, log_, *runner_, live_},
                projects_) {
    ON_CALL(projects_, find(_))
        .WillByDefault([](std::string_view id) -> std::optional<projects::Project> {
          return id == "proj_a" ? std::optional(projects::Project{.id = "proj_a", .name = "a"})
                                : std::nullopt;
        });
    EXPECT_TRUE(routes_.attach(server_).ok());
  }
  std::shared_ptr<RecordedExchange> ask(const std::string& route, std::string body = {},
                                        std::string query = {}) {
    http::Request request;
    request.body = std::move(body);
    request.query = std::move(query);
    request.path_parameters = {{"threadId", thread_}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }

  ::testing::NiceMock<projects::MockProjects> projects_;
  svc::test::RecordedRoutes server_;
  ThreadExtras extras_;
  MessageQueue queue_;
  EventLog log_;
  InteractionDesk interactions_;
  ThreadRoutes routes_;
};

TEST_F(ThreadRoutesTest, SpawnsListsSendsAndDeletes) {
  EXPECT_EQ(ask("GET /api/v1/threads")->json()["threads"].items().size(), 0U);
  const auto made = ask("POST /api/v1/threads", R"({"projectId":"proj_a","prompt":"hello"})");
  EXPECT_EQ(made->status(), 201U);
  thread_ = made->json()["thread"]["id"].asString();
  begin();
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId")->json()["thread"]["status"].asString(), "active");
  const auto queued = ask("POST /api/v1/threads/:threadId/send",
                          R"({"mode":"auto","input":[{"type":"text","text":"more"}]})");
  EXPECT_EQ(queued->json()["outcome"].asString(), "queued");
  EXPECT_EQ(
      ask("GET /api/v1/threads/:threadId/queued-messages")->json()["queuedMessages"].items().size(),
      1U);
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId/events", {}, "types=turn/started,x&types=y")
                ->json()["events"]
                .items()
                .size(),
            1U);
  EXPECT_EQ(ask("DELETE /api/v1/threads/:threadId")->status(), 200U);
  EXPECT_EQ(ask("GET /api/v1/threads/:threadId")->errorCode(), "not_found");
  EXPECT_THAT(closed_, ElementsAre(session_));
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
}

TEST_F(ThreadRoutesTest, ArchivesWhatRunsAfterItsStop) {
  spawn();
  begin();
  const auto archived = ask("POST /api/v1/threads/:threadId/archive");
  EXPECT_EQ(archived->json()["archivedThreadIds"].items().at(0).asString(), thread_);
  EXPECT_EQ(status(), "stopping");
  finish("interrupted");
  EXPECT_EQ(status(), "idle");
}

TEST_F(ThreadRoutesTest, SaysWhatIsWrongWithARequest) {
  EXPECT_EQ(ask("POST /api/v1/threads", R"({"projectId":"proj_x","prompt":"a"})")->errorCode(),
            "not_found");
  for (const char* body :
       {R"({"projectId":"proj_a"})", R"({"prompt":"a"})", R"({"projectId":"proj_a","prompt":" "})",
        R"({"projectId":"proj_a","input":[{"type":"video"}]})",
        R"({"projectId":"proj_a","prompt":"a","permissionMode":"yolo"})"}) {
    EXPECT_EQ(ask("POST /api/v1/threads", body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(ask("GET /api/v1/threads", {}, "archived=maybe")->errorCode(), "invalid_input");
  EXPECT_EQ(ask("GET /api/v1/threads", {}, "limit=1001")->errorCode(), "invalid_input");
  EXPECT_EQ(ask("GET /api/v1/threads/search")->errorCode(), "invalid_input");
  add("thr_a");
  thread_ = "thr_a";
  EXPECT_EQ(ask("POST /api/v1/threads/:threadId/send", R"({"mode":"now","input":[]})")->errorCode(),
            "invalid_input");
  EXPECT_EQ(ask("POST /api/v1/threads/:threadId/compact")->errorCode(), "not_supported");
  EXPECT_EQ(ask("PATCH /api/v1/threads/:threadId", R"({"visibility":"maybe"})")->errorCode(),
            "invalid_input");
  EXPECT_EQ(ask("PUT /api/v1/threads/:threadId/tabs", R"({"tabs":[{}]})")->errorCode(),
            "invalid_input");
  EXPECT_TRUE(ids().size() == 1U);
}

TEST_F(ThreadRoutesTest, SaysWhenNobodyCanTakeTheJob) {
  workers_.full = true;
  EXPECT_EQ(ask("GET /api/v1/threads")->errorCode(), "overloaded");
}

}  // namespace
}  // namespace svc::threads
