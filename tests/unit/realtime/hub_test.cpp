#include "hub.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/common/limits/http.h"

#include "hub_fixture.h"
#include "plugin_changes.h"

namespace svc::realtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HubTest : public HubFixture {};

TEST_F(HubTest, GreetsFirst) {
  EXPECT_THAT(open()->texts(),
              ElementsAre(R"({"type":"hello","serverId":"server-1","version":"0.43.0"})"));
}

TEST_F(HubTest, SharesOneFrameBetweenClients) {
  const auto first = greeted();
  const auto second = greeted();
  hub_->publish(R"("todo")", R"("todos-changed")", R"({"count":2})");
  EXPECT_THAT(first->frames, IsEmpty());
  reactor_.runAll();
  EXPECT_THAT(
      first->texts(),
      ElementsAre(
          R"({"type":"plugin-signal","pluginId":"todo","channel":"todos-changed","payload":{"count":2}})"));
  ASSERT_EQ(second->frames.size(), 1U);
  EXPECT_EQ(first->frames[0], second->frames[0]);
}

TEST_F(HubTest, KeepsTheOrderAndPostsOncePerBurst) {
  const auto window = greeted();
  hub_->broadcast("1");
  hub_->broadcast("2");
  hub_->broadcast("3");
  EXPECT_EQ(reactor_.pendingTasks(), 1U);
  reactor_.runAll();
  EXPECT_THAT(window->texts(), ElementsAre("1", "2", "3"));
}

TEST_F(HubTest, OthersAreServedBetweenSlicesOfWindows) {
  std::vector<std::shared_ptr<Window>> windows;
  for (std::size_t count = 0; count < 2 * Hub::kSlice + 1; ++count) {
    windows.push_back(greeted());
  }
  const auto served = [&windows] {
    return static_cast<std::size_t>(
        std::count_if(windows.begin(), windows.end(),
                      [](const auto& window) { return !window->frames.empty(); }));
  };
  hub_->broadcast("1");
  std::size_t between = 0;
  reactor_.runOne();
  reactor_.post([&] { between = served(); });
  reactor_.runOne();
  reactor_.runOne();
  EXPECT_EQ(between, 2 * Hub::kSlice);
  hub_->broadcast("2");
  reactor_.runAll();
  for (const auto& window : windows) {
    EXPECT_THAT(window->texts(), ElementsAre("1", "2"));
  }
  hub_->broadcast("3");
  EXPECT_EQ(reactor_.pendingTasks(), 1U);
}

TEST_F(HubTest, OthersAreServedBetweenSlicesOfWindowsThatFollowNothing) {
  std::vector<std::shared_ptr<Window>> windows;
  for (std::size_t count = 0; count < 2 * Hub::kSlice + 1; ++count) {
    windows.push_back(greeted());
  }
  const auto& first = windows.front();  // the last that is looked at
  first->handler->onText(
      R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})");
  hub_->changed({.entity = "thread", .id = "thr_1", .kinds = {"x"}, .audience = Audience::kDetail});
  reactor_.runOne();
  reactor_.runOne();
  EXPECT_THAT(first->frames, IsEmpty());
  reactor_.runOne();
  EXPECT_THAT(first->frames, SizeIs(1));
}

TEST_F(HubTest, AWindowThatGoesMeanwhileIsPassedOver) {
  std::vector<std::shared_ptr<Window>> windows;
  for (std::size_t count = 0; count < 2 * Hub::kSlice; ++count) {
    windows.push_back(greeted());
  }
  hub_->broadcast("1");
  reactor_.runOne();
  std::size_t waiting = 0;
  for (const auto& window : windows) {
    if (window->frames.empty()) {
      ++waiting;
      window->handler->onClose(1000, "");
      window->handler.reset();
    }
  }
  EXPECT_EQ(waiting, Hub::kSlice);
  const auto late = greeted();
  reactor_.runAll();
  EXPECT_THAT(late->frames, IsEmpty()) << "what was published before it came";
  hub_->broadcast("2");
  reactor_.runAll();
  EXPECT_THAT(late->texts(), ElementsAre("2"));
}

TEST_F(HubTest, DoesNoWorkWithoutClients) {
  hub_->publish("1", "2", "3");
  hub_->changed({.entity = "thread", .id = "t", .kinds = {"x"}});
  EXPECT_EQ(reactor_.pendingTasks(), 0U);
}

TEST_F(HubTest, ListenersHearOfChangesWithoutAWindow) {
  std::vector<std::string> heard;
  auto handle = hub_->onChanged([&](const Change& change) {
    heard.push_back(change.entity + "/" + change.id + "/" + change.kinds.at(0));
  });
  hub_->changed({.entity = "system", .kinds = {"config-changed"}});
  handle.reset();
  hub_->changed({.entity = "thread", .id = "t", .kinds = {"x"}});
  EXPECT_THAT(heard, ElementsAre("system//config-changed"));
}

TEST_F(HubTest, SendsNothingToAClosedClient) {
  const auto window = greeted();
  const auto other = greeted();
  window->handler->onClose(1000, "");
  hub_->broadcast("1");
  reactor_.runAll();
  EXPECT_THAT(window->frames, IsEmpty());
  EXPECT_THAT(other->texts(), ElementsAre("1"));
}

TEST_F(HubTest, SendsAChangeToSubscribersOnceEach) {
  const auto list = greeted();
  const auto detail = greeted();
  const auto both = greeted();
  const auto none = greeted();
  const std::string to_list = R"({"type":"subscribe","target":{"kind":"thread-list"}})";
  const std::string to_detail =
      R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})";
  list->handler->onText(to_list);
  detail->handler->onText(to_detail);
  both->handler->onText(to_list);
  both->handler->onText(to_detail);
  hub_->changed({.entity = "thread", .id = "thr_1", .kinds = {"title-changed"}});
  hub_->changed({.entity = "thread", .id = "thr_2", .kinds = {"title-changed"}});
  hub_->changed({.entity = "thread", .kinds = {"order-changed"}});
  reactor_.runAll();
  EXPECT_EQ(list->frames.size(), 3U);
  EXPECT_THAT(
      detail->texts(),
      ElementsAre(
          R"({"type":"changed","entity":"thread","id":"thr_1","changes":["title-changed"]})"));
  EXPECT_EQ(both->frames.size(), 3U);
  EXPECT_EQ(both->texts()[2],
            R"({"type":"changed","entity":"thread","changes":["order-changed"]})");
  EXPECT_THAT(none->frames, IsEmpty());
}

TEST_F(HubTest, AChangeGoesOnlyToItsAudience) {
  const auto list = greeted();
  const auto detail = greeted();
  list->handler->onText(R"({"type":"subscribe","target":{"kind":"thread-list"}})");
  detail->handler->onText(
      R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})");
  std::size_t heard = 0;
  const auto listening = hub_->onChanged([&heard](const Change&) { ++heard; });
  const auto tell = [this](const char* kind, Audience audience) {
    hub_->changed({.entity = "thread", .id = "thr_1", .kinds = {kind}, .audience = audience});
  };
  tell("all", Audience::kAll);
  tell("list", Audience::kList);
  tell("detail", Audience::kDetail);
  tell("nobody", Audience::kNobody);
  reactor_.runAll();
  const auto said = [](const char* kind) {
    return std::string(R"({"type":"changed","entity":"thread","id":"thr_1","changes":[")") + kind +
           R"("]})";
  };
  EXPECT_THAT(list->texts(), ElementsAre(said("all"), said("list")));
  EXPECT_THAT(detail->texts(), ElementsAre(said("all"), said("detail")));
  EXPECT_EQ(heard, 4U);
}

TEST_F(HubTest, KnowsWhichRecordsAreFollowed) {
  const std::string follow =
      R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})";
  const std::string leave =
      R"({"type":"unsubscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})";
  const auto first = greeted();
  const auto second = greeted();
  EXPECT_FALSE(hub_->isFollowed("thread", "thr_1"));
  first->handler->onText(follow);
  first->handler->onText(follow);
  second->handler->onText(follow);
  first->handler->onText(leave);
  EXPECT_TRUE(hub_->isFollowed("thread", "thr_1"));
  EXPECT_FALSE(hub_->isFollowed("thread", "thr_2"));
  second->handler->onClose(1000, "");
  EXPECT_FALSE(hub_->isFollowed("thread", "thr_1"));
  hub_->changed({.entity = "thread", .id = "thr_1", .kinds = {"x"}, .audience = Audience::kDetail});
  EXPECT_EQ(reactor_.pendingTasks(), 0U);
}

TEST_F(HubTest, TellsEveryWindowAndHowManyThereAre) {
  EXPECT_EQ(hub_->toEveryWindow("{}"), 0U);
  const auto first = greeted();
  const auto second = greeted();
  EXPECT_EQ(hub_->toEveryWindow("{}"), 2U);
  reactor_.runAll();
  EXPECT_THAT(first->texts(), ElementsAre("{}"));
  EXPECT_THAT(second->texts(), ElementsAre("{}"));
}

TEST_F(HubTest, AChangeCarriesItsMetadata) {
  const auto window = greeted();
  window->handler->onText(R"({"type":"subscribe","target":{"kind":"thread-list"}})");
  hub_->changed({.entity = "thread",
                 .id = "thr_1",
                 .kinds = {"events-appended"},
                 .metadata = R"({"projectId":"p","eventTypes":["turn/started"]})"});
  reactor_.runAll();
  EXPECT_THAT(window->texts(),
              ElementsAre(R"({"type":"changed","entity":"thread","id":"thr_1",)"
                          R"("changes":["events-appended"],)"
                          R"("metadata":{"projectId":"p","eventTypes":["turn/started"]}})"));
}

TEST_F(HubTest, ClosesEveryClientWhenTheOutboxOverflows) {
  const auto window = greeted();
  const std::string large(Hub::kOutboxLimit / 2, 'x');
  hub_->broadcast(large);
  hub_->broadcast(large);
  hub_->broadcast("one more");
  reactor_.runAll();
  EXPECT_EQ(window->close_code, 1013);
  EXPECT_THAT(window->frames, IsEmpty());
  hub_->broadcast("after");
  reactor_.runAll();
  EXPECT_EQ(window->frames.size(), 1U);
}

TEST_F(HubTest, SaysGoodbyeAndWaitsForTheClients) {
  const auto window = greeted();
  hub_->broadcast("last words");
  bool done = false;
  hub_->close([&done](const Status&) { done = true; });
  reactor_.runAll();
  EXPECT_THAT(window->texts(), ElementsAre("last words"));
  EXPECT_EQ(window->close_code, 1001);
  EXPECT_FALSE(hub_->accept().ok());
  EXPECT_FALSE(done);
  window->handler->onClose(1001, "");
  EXPECT_TRUE(done);
}

TEST_F(HubTest, EveryWindowHasTheLastWordsBeforeItIsClosed) {
  std::vector<std::shared_ptr<Window>> windows;
  for (std::size_t count = 0; count < 3 * Hub::kSlice; ++count) {
    windows.push_back(greeted());
  }
  hub_->broadcast("1");
  reactor_.runOne();
  hub_->broadcast("last words");
  hub_->close({});
  for (const auto& window : windows) {
    ON_CALL(*window->socket, close).WillByDefault([raw = window.get()](std::uint16_t, std::string) {
      raw->close_reason = fmt::format("after {}", raw->frames.size());
    });
  }
  reactor_.runAll();
  for (const auto& window : windows) {
    EXPECT_THAT(window->texts(), ElementsAre("1", "last words"));
    EXPECT_EQ(window->close_reason, "after 2");
  }
}

TEST_F(HubTest, StopsWaitingForAClientThatDoesNotAnswer) {
  const auto window = greeted();
  bool done = false;
  hub_->close([&done](const Status&) { done = true; });
  reactor_.advance(limits::kWsShutdown);
  EXPECT_TRUE(done);
}

TEST_F(HubTest, ClosesAtOnceWithoutClients) {
  bool done = false;
  hub_->close([&done](const Status&) { done = true; });
  reactor_.runAll();
  EXPECT_TRUE(done);
}

TEST_F(HubTest, ClosesASocketThatOpensDuringShutdown) {
  auto handler = hub_->accept();
  hub_->close({});
  reactor_.runAll();
  const auto socket = std::make_shared<::testing::NiceMock<svc::test::MockWebSocket>>();
  EXPECT_CALL(*socket, close(1001, ::testing::_));
  handler.value()->onOpen(socket);
}

TEST(PluginChangesTest, ListsEveryPlugin) {
  plugins::PluginRecord todo;
  todo.id = "todo";
  todo.status = plugins::PluginStatus::kNeedsConfiguration;
  EXPECT_EQ(
      pluginsChangedFrame({todo}),
      R"({"type":"plugins-changed","plugins":[{"id":"todo","status":"needs-configuration","hash":null}]})");
}

}  // namespace
}  // namespace svc::realtime
