// The example plugin from end to end: every channel sees the same list, and every write is announced.
#include "harness/server.h"

namespace svc::test {
namespace {

class TodoTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(example("todo"))["status"].asString(), "running");
  }

  common::Json add(const std::string& title) {
    const auto answer = server.rpc("todo", "todos_add", R"({"title":")" + title + R"("})");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json["result"];
  }
  std::vector<std::string> titles() {
    std::vector<std::string> result;
    const auto list = server.rpc("todo", "todos_list").json;
    for (const auto& todo : list["result"]["todos"].items()) {
      result.push_back(todo["title"].asString());
    }
    return result;
  }
};

TEST_P(TodoTest, AddsListsChangesAndRemovesOverRpc) {
  const auto id = add("  buy milk ")["id"].asString();
  EXPECT_EQ(titles(), std::vector<std::string>{"buy milk"});
  const auto changed =
      server.rpc("todo", "todos_set_done", R"({"id":")" + id + R"(","done":true})");
  EXPECT_TRUE(changed.json["result"]["done"].asBool()) << changed.body;
  EXPECT_EQ(server.rpc("todo", "todos_remove", R"({"id":")" + id + R"("})").json["result"].dump(),
            R"({"removed":true})");
  EXPECT_EQ(titles(), std::vector<std::string>{});
}

TEST_P(TodoTest, AnswersWithEnvelopeAndNoStore) {
  const auto answer = server.rpc("todo", "todos_list");
  EXPECT_EQ(answer.body, R"({"ok":true,"result":{"todos":[]}})");
  EXPECT_EQ(answer.content_type, "application/json; charset=utf-8");
  EXPECT_EQ(answer.cache_control, "no-store");
  EXPECT_FALSE(answer.request_id.empty());
}

TEST_P(TodoTest, AcceptsNoBodyForANullInput) {
  const auto answer =
      server.http().send({.method = "POST", .target = "/api/v1/plugins/todo/rpc/todos_list"});
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST_P(TodoTest, RunsItsCommands) {
  const auto added = server.cli({"todo", "add", "buy", "milk"});
  ASSERT_EQ(added.exit_code, 0) << added.err;
  const auto id = added.out.substr(std::string("Added [ ] ").size(), 8);
  EXPECT_EQ(added.out, "Added [ ] " + id + "  buy milk\n");
  EXPECT_EQ(server.cli({"todo", "done", id}).out, "[x] " + id + "  buy milk\n");
  EXPECT_EQ(server.cli({"todo", "undo", id}).out, "[ ] " + id + "  buy milk\n");
  EXPECT_EQ(server.cli({"todo", "list"}).out, "[ ] " + id + "  buy milk\n");
  EXPECT_EQ(server.cli({"todo", "remove", id}).exit_code, 0);
  EXPECT_EQ(server.cli({"todo", "list"}).out, "No todos.\n");
}

TEST_P(TodoTest, AnnouncesWritesOfEveryChannelToEveryClient) {
  auto first = server.socket();
  auto second = server.socket();
  add("one");
  EXPECT_TRUE(first.awaitSignal("todo", "todos-changed", R"({"count":1})"));
  EXPECT_EQ(server.cli({"todo", "add", "two"}).exit_code, 0);
  EXPECT_TRUE(first.awaitSignal("todo", "todos-changed", R"({"count":2})"));
  EXPECT_TRUE(second.awaitSignal("todo", "todos-changed", R"({"count":1})"));
  EXPECT_TRUE(second.awaitSignal("todo", "todos-changed", R"({"count":2})"));
}

TEST_P(TodoTest, GreetsNewClientsAndAnswersPing) {
  auto socket = server.socket();
  const auto hello = socket.await([](const common::Json&) { return true; });
  ASSERT_TRUE(hello.has_value());
  EXPECT_EQ((*hello)["type"].asString(), "hello");
  EXPECT_FALSE((*hello)["serverId"].asString().empty());
  socket.send(R"({"type":"ping"})");
  EXPECT_TRUE(
      socket.await([](const common::Json& message) { return message["type"].asString() == "pong"; })
          .has_value());
}

SVC_FOR_EACH_STORAGE(TodoTest);

}  // namespace
}  // namespace svc::test
