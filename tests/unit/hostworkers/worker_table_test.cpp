#include "worker_table.h"

#include "svc/common/limits/hosts.h"

#include "fake_link.h"
#include "fixture.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorkerTableTest : public WorkersFixture {
 protected:
  WorkerTableTest() { table_.attach(link_); }

  std::shared_ptr<Answer> command(const std::string& type, const std::string& more) {
    auto answer = std::make_shared<Answer>();
    link_.handlers.at(type)(R"({"type":")" + type + R"(",)" + more + "}", into(answer));
    return answer;
  }
  std::shared_ptr<Answer> call(const std::string& plugin = "todo",
                               const std::string& call_id = "c") {
    return command("plugin.host.call", R"("pluginId":")" + plugin +
                                           R"(","generation":"g","callId":")" + call_id +
                                           R"(","method":"m","artifact":{"digest":")" +
                                           digest('a') + R"(","byteLength":1})");
  }
  std::shared_ptr<Answer> dispose(const std::string& plugin = "todo") {
    return command("plugin.host.dispose", R"("pluginId":")" + plugin + R"(","generation":"g")");
  }

  FakeLink link_;
  WorkerTable table_{services()};
};

TEST_F(WorkerTableTest, EachPluginHasItsWorker) {
  const auto first = call("todo");
  const auto second = call("notes");
  ASSERT_EQ(launcher_.processes.size(), 2U);
  launcher_.processes[1]->ready();
  launcher_.processes[1]->say(R"({"type":"result","callId":"1","ok":true,"output":2})");
  EXPECT_TRUE(first->pending());
  EXPECT_EQ(second->text(), R"({"output":2})");
}

TEST_F(WorkerTableTest, BadCommandsAreRefused) {
  EXPECT_EQ(command("plugin.host.call", R"("pluginId":"todo")")->text(), "invalid_command");
  EXPECT_EQ(command("plugin.host.cancel", R"("pluginId":"todo")")->text(), "invalid_command");
  EXPECT_EQ(command("plugin.host.dispose", R"("pluginId":"..","generation":"g")")->text(),
            "invalid_command");
  EXPECT_THAT(launcher_.processes, IsEmpty());
}

TEST_F(WorkerTableTest, CancelsByIdentityAndCall) {
  const auto answer = call();
  const auto cancel = [&](const std::string& plugin, const std::string& id) {
    return command("plugin.host.cancel",
                   R"("pluginId":")" + plugin + R"(","generation":"g","callId":")" + id + "\"")
        ->text();
  };
  EXPECT_EQ(cancel("other", "c"), R"({"cancelled":false})");
  EXPECT_EQ(cancel("todo", "d"), R"({"cancelled":false})");
  EXPECT_EQ(cancel("todo", "c"), R"({"cancelled":true})");
  EXPECT_EQ(answer->text(), "aborted");
}

TEST_F(WorkerTableTest, DisposeAnswersWhenTheWorkerIsGone) {
  (void)call();
  launcher_.latest().ready();
  const auto disposed = dispose();
  EXPECT_TRUE(disposed->pending());
  launcher_.latest().exit(0);
  EXPECT_EQ(disposed->text(), R"({"disposed":true})");
  EXPECT_EQ(dispose("unknown")->text(), R"({"disposed":false})");
  EXPECT_EQ(call()->text(), "generation_retired");
}

TEST_F(WorkerTableTest, FilesOfADisposedPluginGoUnlessItComesBack) {
  (void)dispose("gone");
  (void)dispose("reloaded");
  (void)dispose("listed");
  (void)call("reloaded");  // refused, but the plugin is there
  link_.session({{"listed", "g2"}});
  main_.advance(limits::kSessionGrace);
  EXPECT_THAT(artifacts_.removed, ElementsAre("gone"));
}

TEST_F(WorkerTableTest, ASessionStopsWorkersTheServerDoesNotHave) {
  (void)call("todo");
  (void)call("notes");
  for (const auto& process : launcher_.processes) {
    process->ready();
    process->sent.clear();
  }
  link_.session({{"todo", "g"}, {"notes", "other"}});
  const auto is_disposed = [](const FakeProcess& process) {
    return process.lastSent() == R"({"type":"dispose"})";
  };
  EXPECT_FALSE(is_disposed(*launcher_.processes[0]));
  EXPECT_TRUE(is_disposed(*launcher_.processes[1]));
}

TEST_F(WorkerTableTest, FilesOfPluginsThatNobodyHasGoAfterASession) {
  link_.session({{"todo", "g"}});
  (void)call("late");  // was being loaded when the session opened
  main_.advance(59s);
  EXPECT_FALSE(artifacts_.kept.has_value());
  main_.advance(1s);
  EXPECT_THAT(*artifacts_.kept, ElementsAre("late", "todo"));
}

TEST_F(WorkerTableTest, DrainStopsAllWorkersAtOnce) {
  (void)call("todo");
  (void)call("notes");
  for (const auto& process : launcher_.processes) {
    process->ready();
  }
  bool drained = false;
  table_.drain([&drained](const Status&) { drained = true; });
  for (const auto& process : launcher_.processes) {
    EXPECT_EQ(process->lastSent(), R"({"type":"dispose"})");
  }
  launcher_.processes[0]->exit(0);
  EXPECT_FALSE(drained);
  launcher_.processes[1]->exit(0);
  EXPECT_TRUE(drained);
  EXPECT_EQ(call("new")->text(), "host_unavailable");
}

TEST_F(WorkerTableTest, DrainWithoutWorkersIsDoneAtOnce) {
  bool drained = false;
  table_.drain([&drained](const Status&) { drained = true; });
  EXPECT_TRUE(drained);
}

}  // namespace
}  // namespace svc::hostworkers
