// Projects on a real server with the machine it runs on: what is acknowledged stays, and what is attached comes back.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include <Poco/Exception.h>

#include "harness/hosts.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

Json created(const Server& server, const std::string& host, const std::string& name,
             const fs::path& folder) {
  return server.http()
      .post("/api/v1/projects", Json::object()
                                    .set("name", name)
                                    .set("source", Json::object()
                                                       .set("type", "local_path")
                                                       .set("hostId", host)
                                                       .set("path", folder.string()))
                                    .dump())
      .json;
}

std::vector<std::string> names(const Server& server) {
  std::vector<std::string> out;
  const auto list = server.http().get("/api/v1/projects").json;
  for (const auto& project : list["projects"].items()) {
    out.push_back(project["name"].asString());
  }
  return out;
}

Answer uploaded(const Server& server, const std::string& project_id, const std::string& filename,
                std::string bytes, const std::string& type = "application/octet-stream") {
  return server.http().send(
      {.method = "POST",
       .target = "/api/v1/projects/" + project_id + "/attachments?filename=" + filename,
       .body = std::move(bytes),
       .headers = {{"content-type", type}}});
}

class ProjectsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    host = ownHost(server);
    ASSERT_TRUE(awaitConnected(server, host)) << server.process().errorText();
  }
  fs::path folder(const std::string& name) {
    fs::create_directories(folders.path() / name);
    return folders.path() / name;
  }

  TempDir folders;
  Server server{kDefaultModules, {"--hosts.local=true", "--log.level=warn"}};
  std::string host;
};

TEST_F(ProjectsTest, TheMachineIsAskedWhetherTheFolderIsThere) {
  const auto shop = created(server, host, "shop", folder("shop") / ".." / "shop" / "");
  ASSERT_TRUE(shop["ok"].asBool()) << shop.dump();
  EXPECT_EQ(shop["project"]["sources"].items().at(0)["path"].asString(), folder("shop").string());
  std::ofstream(folders.path() / "file") << "no folder";
  for (const auto& [wrong, code] : {std::pair(folders.path() / "missing", "not_found"),
                                    std::pair(folders.path() / "file", "invalid_input")}) {
    const auto refused = created(server, host, "x", wrong);
    EXPECT_EQ(refused["error"]["code"].asString(), code) << refused.dump();
    EXPECT_THAT(refused["error"]["message"].asString(), HasSubstr(wrong.string()));
  }
  EXPECT_EQ(created(server, host, "again", folder("shop"))["error"]["code"].asString(), "conflict");
  EXPECT_EQ(created(server, "host_x", "x", folder("x"))["error"]["code"].asString(),
            "unknown_host");
  EXPECT_EQ(names(server), (std::vector<std::string>{"shop"}));
}

TEST_F(ProjectsTest, WindowsAndPluginsHearOfChanges) {
  const PluginDir plugin("watcher", R"js(
export default (svc) => {
  svc.sdk.subscribe({ event: "project:changed", callback: (notice) => svc.realtime.publish("heard", notice) });
};
)js");
  server.install(plugin.path());
  auto socket = server.socket();
  socket.send(R"({"type":"subscribe","target":{"kind":"project-list"}})");
  socket.send(R"({"type":"ping"})");
  ASSERT_TRUE(
      socket.await([](const Json& message) { return message["type"].asString() == "pong"; }));
  const auto id = created(server, host, "shop", folder("shop"))["project"]["id"].asString();
  ASSERT_TRUE(socket.await([&](const Json& message) {
    return message["entity"].asString() == "project" && message["id"].asString() == id &&
           message["changes"].items().at(0).asString() == "project-created";
  }));
  const auto heard = socket.awaitSignal("watcher", "heard");
  ASSERT_TRUE(heard);
  EXPECT_EQ((*heard)["entity"].asString(), "project");
  EXPECT_EQ((*heard)["id"].asString(), id);
}

TEST_F(ProjectsTest, APluginUsesThemThroughItsSdk) {
  const PluginDir plugin("customer", R"js(
export default (svc) => {
  const { projects } = svc.sdk;
  const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
  svc.rpc.register({ run: { input: any, output: any } }, {
    async run({ hostId, path }) {
      const made = await projects.create({ name: "shop", source: { type: "local_path", hostId, path } });
      const bytes = new Uint8Array(256).map((_, index) => index);
      const attachment = await projects.attachments.upload({ projectId: made.id, clientFile: bytes, filename: "../all bytes.bin" });
      const read = await projects.attachments.read({ projectId: made.id, path: attachment.path });
      const missing = await projects.attachments.read({ projectId: made.id, path: "/etc/passwd" }).catch(({ status, code }) => ({ status, code }));
      const { files } = await projects.files({ projectId: made.id });
      return {
        kinds: (await projects.list({ includePersonal: true })).map(({ kind }) => kind),
        name: attachment.name,
        same: read.bytes instanceof Uint8Array && read.bytes.every((byte, index) => byte === index) && read.sizeBytes === 256,
        missing, files,
        options: await projects.defaultExecutionOptions({ projectId: made.id }),
      };
    },
  });
};
)js");
  server.install(plugin.path());
  const auto result =
      server
          .rpc("customer", "run",
               Json::object().set("hostId", host).set("path", folder("shop").string()).dump())
          .json["result"];
  EXPECT_EQ(result.dump(),
            R"({"kinds":["personal","standard"],"name":"all bytes.bin","same":true,)"
            R"("missing":{"status":404,"code":"not_found"},"files":[],"options":null})");
}

TEST_F(ProjectsTest, SkillsOfAFolderOnAnotherMachineAreShown) {
  const Machine machine(server, "builder");
  const TempDir far;
  fs::create_directories(far.path() / ".agents/skills/far/more");
  const std::string text = "---\nname: far\ndescription: What is far away\n---\nRead me.\n";
  std::ofstream(far.path() / ".agents/skills/far/SKILL.md") << text;
  std::ofstream(far.path() / ".agents/skills/far/more/bytes", std::ios::binary) << "\xff";
  const auto project =
      created(server, machine.id(), "elsewhere", far.path())["project"]["id"].asString();
  const auto list = server.http().get("/api/v1/skills?projectId=" + project).json;
  ASSERT_EQ(list["skills"].items().size(), 1U) << list.dump();
  const auto& skill = list["skills"].items().at(0);
  EXPECT_EQ(skill["id"].asString(), "shared-project:far");
  EXPECT_EQ(skill["filePath"].asString(),
            (fs::canonical(far.path()) / ".agents/skills/far/SKILL.md").string());
  EXPECT_TRUE(skill["offered"].asBool());
  EXPECT_FALSE(skill["manageable"].asBool());
  const auto target = "projectId=" + project + "&skillId=shared-project:far";
  EXPECT_EQ(server.http().get("/api/v1/skills/files?" + target).json["files"].dump(),
            R"(["SKILL.md","more/bytes"])");
  EXPECT_EQ(server.http()
                .get("/api/v1/skills/content?" + target + "&path=SKILL.md")
                .json["content"]
                .asString(),
            text);
  EXPECT_EQ(server.http().get("/api/v1/skills/content?" + target + "&path=more/bytes").code(),
            "invalid_argument");
  const auto removed = server.http().send(
      {.method = "DELETE",
       .target = "/api/v1/skills",
       .body = Json::object().set("projectId", project).set("skillId", "shared-project:far").dump(),
       .headers = {{"Content-Type", "application/json"}}});
  EXPECT_EQ(removed.code(), "forbidden") << removed.json.dump();
  EXPECT_TRUE(fs::exists(far.path() / ".agents/skills/far/SKILL.md"));
}

TEST_F(ProjectsTest, AttachmentsKeepTheirLimitAndTheirPlace) {
  const auto id = created(server, host, "shop", folder("shop"))["project"]["id"].asString();
  constexpr std::size_t kLimit = 25'000'000;
  const auto largest = uploaded(server, id, "a", std::string(kLimit, 'x'));
  ASSERT_EQ(largest.status, 201) << largest.body;
  EXPECT_EQ(uploaded(server, id, "a", std::string(kLimit + 1, 'x')).status, 413);
  const auto odd = uploaded(server, id, "..%2F..%2Fa%00b", "x");
  ASSERT_EQ(odd.status, 201) << odd.body;
  const fs::path path = odd.json["attachment"]["path"].asString();
  EXPECT_EQ(path.parent_path(), server.dataDir() / "projects" / id / "attachments");
  EXPECT_EQ(uploaded(server, id, std::string(5000, 'a'), "x").status, 201);
  EXPECT_EQ(uploaded(server, "..%2F..", "a", "x").status, 404);
  const auto content = "/api/v1/projects/" + id + "/attachments/content?path=";
  EXPECT_EQ(server.http().get(content + path.string()).body, "x");
  for (const auto& wrong :
       {std::string("/etc/passwd"), path.parent_path().string() + "/../../../server.json",
        std::string("%00"), path.string() + "%00"}) {
    EXPECT_EQ(server.http().get(content + wrong).status, 404) << wrong;
  }
  ASSERT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/projects/" + id}).status,
            200);
  EXPECT_FALSE(fs::exists(server.dataDir() / "projects" / id));
  EXPECT_TRUE(fs::exists(folders.path() / "shop"));
}

TEST_F(ProjectsTest, AKillBetweenWritesLosesNothingThatWasAcknowledged) {
  std::vector<std::string> acknowledged;
  std::atomic<int> count{0};
  std::thread writer([&] {
    try {
      for (int at = 0; at < 10'000; ++at) {
        const auto name = "p" + std::to_string(at);
        if (!created(server, host, name, folder(name))["ok"].asBool()) {
          return;
        }
        acknowledged.insert(acknowledged.begin(), name);
        // Each moves to the front, so that the order is a write of its own.
        const auto list = server.http().get("/api/v1/projects").json["projects"];
        const auto moved = list.items().size() < 2
                               ? 200
                               : server.http()
                                     .post("/api/v1/projects/reorder",
                                           Json::object()
                                               .set("projectId", list.items().back()["id"])
                                               .set("previousProjectId", nullptr)
                                               .set("nextProjectId", list.items().front()["id"])
                                               .dump())
                                     .status;
        if (moved != 200) {
          return;
        }
        ++count;
      }
    } catch (const Poco::Exception&) {
      // The server was killed: what came before is what counts.
    }
  });
  EXPECT_TRUE(
      eventually([&] { return server.http().get("/healthz").status == 200 && count > 20; }));
  server.kill();
  writer.join();
  server.start();
  auto kept = names(server);
  ASSERT_GE(kept.size(), acknowledged.size());
  // The last write may be there without its answer, and the last one of all at the end instead of the front.
  std::vector<std::string> unknown;
  for (const auto& name : kept) {
    if (std::find(acknowledged.begin(), acknowledged.end(), name) == acknowledged.end()) {
      unknown.push_back(name);
    }
  }
  EXPECT_LE(unknown.size(), 1U);
  const auto rest = [&](std::vector<std::string> list) {
    std::erase_if(list, [&](const auto& name) {
      return name == acknowledged.front() ||
             std::find(unknown.begin(), unknown.end(), name) != unknown.end();
    });
    return list;
  };
  EXPECT_EQ(rest(kept), rest(acknowledged));
}

TEST_F(ProjectsTest, TheCommandLineWorksOnThem) {
  const auto made = server.cli({"project", "create", "shop", folder("shop").string()});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(server.cli({"project", "list"}).out, HasSubstr(folder("shop").string()));
  EXPECT_EQ(server.cli({"project", "source", "add", "shop", folder("more").string()}).exit_code, 0);
  EXPECT_EQ(server.cli({"project", "source", "default", "shop", folder("more").string()}).exit_code,
            0);
  EXPECT_EQ(server.cli({"project", "source", "remove", "shop", folder("shop").string()}).exit_code,
            0);
  EXPECT_EQ(server.cli({"project", "rename", "shop", "store"}).exit_code, 0);
  EXPECT_THAT(server.cli({"project", "show", "store"}).out, HasSubstr(folder("more").string()));
  EXPECT_EQ(server.cli({"project", "create", "x", (folders.path() / "none").string()}).exit_code,
            3);
  EXPECT_EQ(server.cli({"project", "delete", "nobody", "--yes"}).exit_code, 3);
  EXPECT_EQ(server.cli({"project", "delete", "store"}).exit_code, 4);
  EXPECT_EQ(server.cli({"project", "delete", "store", "--yes"}).exit_code, 0);
  EXPECT_THAT(names(server), ::testing::IsEmpty());
}

}  // namespace
}  // namespace svc::test
