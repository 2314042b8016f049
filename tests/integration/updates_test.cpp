// Updates of managed plugins on a real server: a source the test owns, real environments, real data.
#include <atomic>
#include <fstream>
#include <memory>
#include <thread>

#include <Poco/Exception.h>

#include "harness/packages.h"
#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kModules =
    "storage,http,jsruntime,plugins,database,rpc,realtime,updates,updateprobe";

std::vector<std::string> probeFlags() {
  return {std::string("--modules.path=") + SVC_TEST_MODULES, "--updates.check=false"};
}

/// A version of the plugin: it brings all of its data to its own format before it registers anything, and tells what it
/// has. `then` runs after that.
std::string versionSource(const std::string& version, const std::string& then = {}) {
  return "const VERSION = \"" + version + "\";" + R"ts(
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default async function (svc: any) {
  const settings = svc.settings.define({
    format: { type: "string", default: "" }, token: { type: "string", secret: true } });
  const database = svc.storage.database();
  database.exec("CREATE TABLE IF NOT EXISTS format (version TEXT)");
  const row = database.prepare("SELECT version FROM format").get();
  // Going back is what no version can do for itself.
  if (row === undefined || row.version < VERSION) {
    await svc.storage.kv.set("format", VERSION);
    database.exec("DELETE FROM format");
    database.prepare("INSERT INTO format VALUES (?)").run(VERSION);
    await settings.experimental_set({ format: VERSION, token: "secret-" + VERSION });
  }
  svc.rpc.register({ state: { input: any, output: any }, calls: { input: any, output: any } }, {
    state: async () => {
      const values = await settings.get();
      return [VERSION, await svc.storage.kv.get("format"),
              database.prepare("SELECT version FROM format").get().version, values.format, values.token].join(" ");
    },
    calls: () => VERSION,
  });
  svc.background.schedule("tick-" + VERSION[0], "0 0 1 1 *", () => {});
)ts" + then +
         "\n}\n";
}

class VersionDir {
 public:
  VersionDir(const std::string& version, const std::string& source)
      : version_(version), directory_("versioned", source) {
    std::ofstream(directory_.path() / "package.json")
        << R"({"name":"svc-plugin-versioned","version":")" << version
        << R"(","type":"module","svc":{"server":"server.ts"}})";
  }
  [[nodiscard]] std::string json() const {
    return R"({"id":"versioned","version":")" + version_ + R"(","root":")" +
           directory_.path().string() + R"("})";
  }
  void write(const std::string& source) const { directory_.write(source); }

 private:
  std::string version_;
  PluginDir directory_;
};

class UpdatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto answer = probe("install", one.json());
    ASSERT_EQ(answer.json["plugin"]["status"].asString(), "running") << answer.body;
    ASSERT_EQ(probe("offer", two.json()).status, 200);
  }
  Answer probe(const std::string& action, const std::string& body) {
    return server.http().post("/test/updates/" + action, body);
  }
  std::string state() { return server.rpc("versioned", "state").json["result"].asString(); }
  common::Json awaitStatus(const std::string& status, const std::string& version) {
    return server.awaitRecord("versioned", [&](const common::Json& record) {
      return record["status"].asString() == status && record["version"].asString() == version;
    });
  }
  /// Asks for the update on a connection of its own; the answer, or an empty one when the server went.
  std::thread updating(Answer& answer) {
    return std::thread([this, &answer] {
      try {
        answer = server.http().post("/api/v1/plugins/versioned/update", "{}");
      } catch (const Poco::Exception&) {
        answer = {};
      }
    });
  }
  std::string schedules() {
    std::string names;
    const auto record = server.record("versioned");
    for (const auto& schedule : record["schedules"].items()) {
      names += schedule["name"].asString();
    }
    return names;
  }

  static constexpr const char* kOld = "1.0.0 1.0.0 1.0.0 1.0.0 secret-1.0.0";
  static constexpr const char* kNew = "2.0.0 2.0.0 2.0.0 2.0.0 secret-2.0.0";

  VersionDir one{"1.0.0", versionSource("1.0.0")};
  VersionDir two{"2.0.0", versionSource("2.0.0")};
  Server server{kModules, probeFlags()};
};

TEST_F(UpdatesTest, ACheckFindsTheNewVersionAndTheRecordShowsIt) {
  const auto checked = server.http().post("/api/v1/plugins/updates/check", "{}");
  ASSERT_EQ(checked.status, 200) << checked.body;
  const auto& result = checked.json["results"].items().front();
  EXPECT_EQ(result["id"].asString(), "versioned");
  EXPECT_EQ(result["outcome"].asString(), "update-available");
  EXPECT_EQ(result["installed"]["version"].asString(), "1.0.0");
  EXPECT_EQ(result["candidate"]["version"].asString(), "2.0.0");
  server.awaitRecord("versioned", [](const common::Json& record) {
    return record["updateState"]["availableVersion"].asString() == "2.0.0";
  });
  server.restart();
  EXPECT_EQ(server.http().get("/api/v1/plugins/updates").json["results"], checked.json["results"]);
  EXPECT_EQ(server.record("versioned")["updateState"]["outcome"].asString(), "update-available");
}

TEST_F(UpdatesTest, TheNewVersionRunsAndNoCallIsRefusedMeanwhile) {
  ASSERT_EQ(probe("stop", R"({"step":"stabilise"})").status, 200);
  std::atomic<bool> over = false;
  std::vector<std::string> answers;
  std::thread caller([&] {
    auto http = server.http();
    while (!over) {
      const auto answer = http.rpc("versioned", "calls");
      answers.push_back(answer.status == 200 ? answer.json["result"].asString() : answer.body);
    }
  });
  Answer update;
  auto request = updating(update);
  awaitStatus("running", "2.0.0");
  EXPECT_EQ(state(), kNew);
  over = true;
  caller.join();
  EXPECT_EQ(schedules(), "tick-2");
  for (const auto& answer : answers) {
    EXPECT_TRUE(answer == "1.0.0" || answer == "2.0.0") << answer;
  }
  server.kill();
  request.join();
}

TEST_F(UpdatesTest, AVersionThatDoesNotLoadIsRolledBackWithItsData) {
  two.write(versionSource("2.0.0", R"(throw new Error("no good");)"));
  const auto answer = server.http().post("/api/v1/plugins/versioned/update", "{}");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["outcome"].asString(), "rolled-back");
  EXPECT_FALSE(answer.json["applied"].asBool());
  EXPECT_EQ(answer.json["from"].asString(), "1.0.0");
  EXPECT_EQ(answer.json["to"].asString(), "2.0.0");
  EXPECT_THAT(answer.json["detail"].asString(), HasSubstr("no good"));
  EXPECT_EQ(state(), kOld);
  EXPECT_EQ(schedules(), "tick-1");
  const auto record = awaitStatus("running", "1.0.0");
  EXPECT_EQ(record["updateState"]["lastFailure"]["version"].asString(), "2.0.0");
  EXPECT_THAT(record["updateState"]["lastFailure"]["detail"].asString(), HasSubstr("no good"));
  server.restart();
  awaitStatus("running", "1.0.0");
  EXPECT_EQ(state(), kOld);
}

TEST_F(UpdatesTest, AServiceThatFailsInTheWindowIsRolledBackAtOnce) {
  two.write(versionSource("2.0.0", R"(
  let fail = (_: Error) => {};
  svc.background.service("sync", { start: () => new Promise<void>((_, reject) => { fail = reject; }) });
  svc.rpc.register({ fail: { input: any, output: any } }, { fail: () => { fail(new Error("lost")); return null; } });
)"));
  Answer update;
  auto request = updating(update);
  awaitStatus("running", "2.0.0");
  EXPECT_EQ(server.rpc("versioned", "fail").status, 200);
  request.join();
  EXPECT_EQ(update.json["outcome"].asString(), "rolled-back") << update.body;
  EXPECT_THAT(update.json["detail"].asString(), HasSubstr("lost"));
  EXPECT_EQ(state(), kOld);
}

TEST_F(UpdatesTest, DisablingInTheWindowIsAConflict) {
  Answer update;
  auto request = updating(update);
  awaitStatus("running", "2.0.0");
  ASSERT_EQ(server.http().post("/api/v1/plugins/versioned/disable", "{}").status, 200);
  request.join();
  EXPECT_EQ(update.status, 409) << update.body;
  EXPECT_EQ(update.code(), "conflict");
  EXPECT_EQ(server.record("versioned")["version"].asString(), "2.0.0");
}

TEST_F(UpdatesTest, SafeModeRefuses) {
  ASSERT_EQ(server.http()
                .send({.method = "PUT",
                       .target = "/api/v1/plugins/safe-mode",
                       .body = R"({"enabled":true})",
                       .headers = {{"content-type", "application/json"}}})
                .status,
            200);
  const auto refused = server.http().post("/api/v1/plugins/versioned/update", "{}");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "safe_mode");
}

TEST_F(UpdatesTest, RemovingThePluginRemovesItsSnapshots) {
  two.write(versionSource("2.0.0", R"(throw new Error("no good");)"));
  ASSERT_EQ(server.http().post("/api/v1/plugins/versioned/update", "{}").status, 200);
  const auto snapshots = server.dataDir() / "plugins/snapshots/versioned";
  EXPECT_FALSE(fs::is_empty(snapshots));
  ASSERT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/plugins/versioned"}).status,
            200);
  auto http = server.http();
  EXPECT_TRUE(eventually([&] {
    return http.get("/healthz").status == 200 &&
           (!fs::exists(snapshots) || fs::is_empty(snapshots));
  }));
}

/// The update of a plugin to 2.0.0 has ended well.
class RollbackTest : public UpdatesTest {
 protected:
  void SetUp() override {
    UpdatesTest::SetUp();
    Answer update;
    auto request = updating(update);
    awaitStatus("running", "2.0.0");
    // A change of the plugin ends the window at once.
    EXPECT_EQ(server.http().post("/api/v1/plugins/versioned/disable", "{}").status, 200);
    request.join();
    EXPECT_EQ(server.http().post("/api/v1/plugins/versioned/enable", "{}").status, 200);
    awaitStatus("running", "2.0.0");
    ASSERT_EQ(state(), kNew);
  }
  Answer target() { return server.http().get("/api/v1/plugins/versioned/rollback"); }
  Answer rollBack(const std::string& body = "{}") {
    return server.http().post("/api/v1/plugins/versioned/rollback", body);
  }
};

TEST_F(RollbackTest, ByHandReturnsToTheVersionBeforeWithItsData) {
  EXPECT_EQ(target().json["rollback"]["version"].asString(), "1.0.0") << target().body;
  EXPECT_EQ(rollBack(R"({"version":"0.9.0"})").code(), "conflict");
  EXPECT_EQ(state(), kNew);
  const auto answer = rollBack(R"({"version":"1.0.0"})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["from"].asString(), "2.0.0");
  EXPECT_EQ(answer.json["to"].asString(), "1.0.0");
  EXPECT_EQ(answer.json["plugin"]["status"].asString(), "running");
  EXPECT_EQ(state(), kOld);
  EXPECT_EQ(schedules(), "tick-1");
  const auto& failure = answer.json["plugin"]["updateState"]["lastFailure"];
  EXPECT_EQ(failure["version"].asString(), "2.0.0");
  EXPECT_TRUE(failure["byHand"].asBool());
  const auto again = rollBack();
  EXPECT_EQ(again.status, 404);
  EXPECT_EQ(again.json["error"]["details"]["reason"].asString(), "no_snapshot");
  EXPECT_TRUE(target().json["rollback"].isNull());
  const auto checked = server.http().post("/api/v1/plugins/updates/check", "{}");
  EXPECT_EQ(checked.json["results"].items().front()["rolledBack"]["detail"].asString(),
            "rolled back by hand");
  server.restart();
  awaitStatus("running", "1.0.0");
  EXPECT_EQ(state(), kOld);
}

TEST_F(RollbackTest, OfADisabledPluginIsRefusedInSafeModeOnly) {
  EXPECT_EQ(server.http().post("/api/v1/plugins/nobody/rollback", "{}").code(), "unknown_plugin");
  ASSERT_EQ(server.http().post("/api/v1/plugins/versioned/disable", "{}").status, 200);
  const auto answer = rollBack();
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["plugin"]["status"].asString(), "disabled");
  EXPECT_EQ(server.http().post("/api/v1/plugins/versioned/enable", "{}").status, 200);
  EXPECT_EQ(state(), kOld);
  ASSERT_EQ(server.http()
                .send({.method = "PUT",
                       .target = "/api/v1/plugins/safe-mode",
                       .body = R"({"enabled":true})",
                       .headers = {{"content-type", "application/json"}}})
                .status,
            200);
  EXPECT_EQ(rollBack().code(), "safe_mode");
}

/// The server is killed before one step of a rollback that a user asked for.
class InterruptedByHandTest : public RollbackTest,
                              public ::testing::WithParamInterface<const char*> {};

TEST_P(InterruptedByHandTest, LeavesOneVersionWithItsOwnData) {
  ASSERT_EQ(probe("stop", std::string(R"({"step":")") + GetParam() + R"("})").status, 200);
  std::thread request([this] {
    try {
      rollBack();
    } catch (const Poco::Exception&) {  // the server went
    }
  });
  ASSERT_TRUE(eventually([&] { return probe("state", "{}").json["reached"].asBool(); }));
  server.kill();
  request.join();
  server.start();
  const auto record = server.awaitRecord("versioned", [](const common::Json& present) {
    return present["status"].asString() == "running";
  });
  const auto version = record["version"].asString();
  EXPECT_EQ(state(), version == "2.0.0" ? kNew : kOld);
  if (version == "2.0.0") {
    EXPECT_EQ(rollBack().status, 200);
    EXPECT_EQ(state(), kOld);
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, InterruptedByHandTest,
                         ::testing::Values("decide rollback", "take turn back", "hold and dispose",
                                           "restore files", "restore rows", "load previous"),
                         [](const auto& each) {
                           std::string name(each.param);
                           std::erase(name, ' ');
                           return name;
                         });

struct Interruption {
  const char* name;
  const char* step;
  int occurrence;
  bool good;  ///< whether the new version loads
};

/// The server is killed before one step of an update or a rollback.
class InterruptedUpdateTest : public UpdatesTest,
                              public ::testing::WithParamInterface<Interruption> {};

TEST_P(InterruptedUpdateTest, LeavesOneVersionWithItsOwnData) {
  const auto& [name, step, occurrence, good] = GetParam();
  if (!good) {
    two.write(versionSource("2.0.0", R"(throw new Error("no good");)"));
  }
  ASSERT_EQ(probe("stop", std::string(R"({"step":")") + step + R"(","occurrence":)" +
                              std::to_string(occurrence) + "}")
                .status,
            200);
  Answer update;
  auto request = updating(update);
  ASSERT_TRUE(eventually([&] { return probe("state", "{}").json["reached"].asBool(); }));
  server.kill();
  request.join();
  server.start();
  // A bad version that had been switched to is tried once more, and then rolled back.
  const auto record = server.awaitRecord("versioned", [&](const common::Json& present) {
    return present["status"].asString() == "running" &&
           (good || present["version"].asString() == "1.0.0");
  });
  const auto version = record["version"].asString();
  EXPECT_EQ(state(), version == "2.0.0" ? kNew : kOld);
  EXPECT_EQ(schedules(), "tick-" + version.substr(0, 1));
  // And it can be updated from there.
  two.write(versionSource("2.0.0"));
  ASSERT_EQ(probe("offer", two.json()).status, 200);
  if (version == "1.0.0") {
    auto again = updating(update);
    awaitStatus("running", "2.0.0");
    EXPECT_EQ(state(), kNew);
    server.kill();
    again.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, InterruptedUpdateTest,
                         ::testing::Values(Interruption{"Stage", "stage", 1, true},
                                           Interruption{"TakeTurn", "take turn", 1, true},
                                           Interruption{"Hold", "hold and dispose", 1, true},
                                           Interruption{"BeginSnapshot", "begin snapshot", 1, true},
                                           Interruption{"TakeSnapshot", "take snapshot", 1, true},
                                           Interruption{"Switch", "switch", 1, true},
                                           Interruption{"Load", "load", 1, true},
                                           Interruption{"Stabilise", "stabilise", 1, true},
                                           Interruption{"BadLoad", "load", 1, false},
                                           Interruption{"BadStabilise", "stabilise", 1, false},
                                           Interruption{"DecideRollback", "decide rollback", 1,
                                                        false},
                                           Interruption{"TakeTurnBack", "take turn back", 1, false},
                                           Interruption{"HoldBack", "hold and dispose", 2, false},
                                           Interruption{"RestoreFiles", "restore files", 1, false},
                                           Interruption{"RestoreRows", "restore rows", 1, false},
                                           Interruption{"LoadPrevious", "load previous", 1, false}),
                         [](const auto& each) { return each.param.name; });

/// With the sources of the service itself, and both storages.
class SourceUpdatesTest : public ServerTest {
 protected:
  Answer install(const std::string& source) {
    return server.http().post("/api/v1/plugins/install", R"({"source":")" + source + R"("})");
  }
  Answer update(const std::string& id) {
    return server.http().post("/api/v1/plugins/" + id + "/update", "{}");
  }
  common::Json check(const std::string& id) {
    const auto answer =
        server.http().post("/api/v1/plugins/updates/check", R"({"id":")" + id + R"("})");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json["results"].items().empty() ? common::Json()
                                                  : answer.json["results"].items().front();
  }
};

TEST_P(SourceUpdatesTest, ARangeOfTagsIsFollowedAndABadVersionRolledBack) {
  const GitRepository repository;
  repository.writePlugin("ranged", "1.0.0");
  repository.commit();
  repository.tag("v1.0.0");
  const auto installed = install("git:" + repository.url() + "@semver:^1.0.0");
  ASSERT_EQ(installed.json["plugin"]["status"].asString(), "running") << installed.body;
  EXPECT_EQ(check("ranged")["outcome"].asString(), "current");
  EXPECT_EQ(update("ranged").json["outcome"].asString(), "current");

  repository.writePlugin("ranged", "1.1.0");
  repository.write("server.ts", "export default () => { throw new Error('no good'); };");
  repository.commit();
  repository.tag("v1.1.0");
  repository.writePlugin("ranged", "2.0.0");
  repository.commit();
  repository.tag("v2.0.0");
  const auto found = check("ranged");
  EXPECT_EQ(found["outcome"].asString(), "update-available");
  EXPECT_EQ(found["candidate"]["version"].asString(), "1.1.0");
  const auto rolled_back = update("ranged");
  EXPECT_EQ(rolled_back.json["outcome"].asString(), "rolled-back") << rolled_back.body;
  EXPECT_THAT(rolled_back.json["detail"].asString(), HasSubstr("no good"));
  EXPECT_EQ(server.rpc("ranged", "get").json["result"].asString(), "1.0.0");
}

TEST_P(SourceUpdatesTest, SourcesThatNameOneVersionArePinned) {
  const GitRepository repository;
  repository.writePlugin("tagged", "1.0.0");
  repository.commit();
  repository.tag("v1.0.0");
  ASSERT_EQ(install("git:" + repository.url() + "@v1.0.0").status, 200);
  const PluginDir here("here", answering("1"));
  server.install(here.path());
  for (const auto* id : {"tagged", "here"}) {
    EXPECT_EQ(check(id)["outcome"].asString(), "pinned") << id;
    const auto refused = update(id);
    EXPECT_EQ(refused.status, 422) << refused.body;
    EXPECT_EQ(refused.code(), "update_refused");
    EXPECT_EQ(refused.json["error"]["details"]["reason"].asString(), "pinned");
  }
  EXPECT_EQ(update("nobody").code(), "unknown_plugin");
  EXPECT_EQ(server.http().post("/api/v1/plugins/updates/check", R"({"id":"nobody"})").code(),
            "unknown_plugin");
}

TEST_P(SourceUpdatesTest, AVersionThatCannotRunHereIsBlocked) {
  const GitRepository repository;
  repository.writePlugin("blocked", "1.0.0");
  repository.commit();
  repository.tag("v1.0.0");
  ASSERT_EQ(install("git:" + repository.url() + "@semver:>=1").status, 200);
  repository.write("package.json",
                   R"({"name":"svc-plugin-blocked","version":"2.0.0","type":"module",)"
                   R"("svc":{"server":"server.ts"},"engines":{"svc":">=99"}})");
  repository.commit();
  repository.tag("v2.0.0");
  const auto found = check("blocked");
  EXPECT_EQ(found["outcome"].asString(), "incompatible") << found.dump();
  EXPECT_EQ(found["blocked"]["version"].asString(), "2.0.0");
  EXPECT_FALSE(found["blocked"]["reasons"].items().empty());
  const auto refused = update("blocked");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_EQ(refused.code(), "incompatible");
}

TEST_P(SourceUpdatesTest, ASourceThatIsGoneIsUnavailable) {
  auto repository = std::make_unique<GitRepository>();
  repository->writePlugin("lost", "1.0.0");
  repository->commit();
  ASSERT_EQ(install("git:" + repository->url()).status, 200);
  repository.reset();
  const auto found = check("lost");
  EXPECT_EQ(found["outcome"].asString(), "unavailable");
  EXPECT_FALSE(found["detail"].asString().empty());
}

SVC_FOR_EACH_STORAGE(SourceUpdatesTest);

}  // namespace
}  // namespace svc::test
