#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/hosts.h"
#include "harness/relay.h"

namespace svc::test {

/// The steps of each turn; the last ones serve all that follow.
inline constexpr const char* kTurns = R"({
  "capabilities": { "sessionCapabilities": { "resume": {} }, "promptCapabilities": { "image": true } },
  "turns": )";
inline constexpr const char* kTalk = R"([[{ "text": "Hello there", "split": 2 }]])";
inline constexpr const char* kWork = R"([[{ "text": "working" }, { "untilCancelled": true }]])";

/// Threads whose turns a scripted agent runs, through a real svcd and a real svc-hostd on another machine.
class ThreadFixture : public ::testing::Test {
 protected:
  using Json = common::Json;

  /// A server that knows the agent, and a machine that has a project.
  void begin(const std::string& turns, const std::string& more_agents = "") {
    place_ = std::make_unique<TempDir>();
    script(turns);
    std::filesystem::create_directories(place_->path() / "shop");
    const auto agents = fmt::format(
        R"({{"scripted":{{"command":"node","args":["{}","{}","{}"],"displayName":"Scripted"}}{}}})",
        SVC_TEST_SOURCE_DIR "/tests/support/scripted_agent/scripted_agent.mjs",
        scriptFile().string(), logFile().string(), more_agents);
    std::vector<std::string> options{"--agents=" + agents, "--log.level=warn"};
    options.insert(options.end(), more_options_.begin(), more_options_.end());
    server_ = std::make_unique<Server>(kDefaultModules, options);
    relay_ = std::make_unique<Relay>(server_->port());
    machine_ = std::make_unique<Machine>(*server_, "laptop", relay_->url());
    const auto made = post("/projects", Json::object()
                                            .set("name", "Shop")
                                            .set("source", Json::object()
                                                               .set("type", "local_path")
                                                               .set("hostId", machine_->id())
                                                               .set("path", shop())));
    ASSERT_EQ(made.status, 201) << made.body;
    project_ = made.json["project"]["id"].asString();
    ASSERT_TRUE(awaitAgent("scripted"));
  }
  void script(const std::string& turns) const {
    std::ofstream(scriptFile()) << kTurns << turns << "}";
  }
  [[nodiscard]] std::filesystem::path scriptFile() const { return place_->path() / "script.json"; }
  [[nodiscard]] std::filesystem::path logFile() const { return place_->path() / "heard.jsonl"; }
  [[nodiscard]] std::string shop() const { return (place_->path() / "shop").string(); }
  /// What the agents have heard, as they write it down.
  [[nodiscard]] std::vector<Json> heard(const std::string& method) const {
    std::vector<Json> out;
    std::ifstream file(logFile());
    for (std::string line; std::getline(file, line);) {
      if (auto message = Json::parse(line);
          message && message.value()["method"].asString() == method) {
        out.push_back(message.value()["params"]);
      }
    }
    return out;
  }

  [[nodiscard]] Answer get(const std::string& path) const {
    return server_->http().get("/api/v1" + path);
  }
  [[nodiscard]] Answer post(const std::string& path, const Json& body) const {
    return server_->http().post("/api/v1" + path, body.dump());
  }
  [[nodiscard]] bool awaitAgent(const std::string& id) const {
    return eventually([&] {
      const auto answer = get("/providers?hostId=" + machine_->id());
      for (const auto& provider : answer.json["providers"].items()) {
        if (provider["id"].asString() == id && provider["available"].asBool()) {
          return true;
        }
      }
      return false;
    });
  }
  Answer trySpawn(const std::string& text, Json members = Json::object()) const {
    return post("/threads", members.set("projectId", project_).set("prompt", text));
  }
  void spawn(const std::string& text, Json members = Json::object()) {
    const auto answer = trySpawn(text, std::move(members));
    ASSERT_EQ(answer.status, 201) << answer.body;
    thread_ = answer.json["thread"]["id"].asString();
  }
  Answer send(const std::string& text, const std::string& mode = "auto") const {
    auto input = Json::array();
    input.push(Json::object().set("type", "text").set("text", text));
    return post("/threads/" + thread_ + "/send",
                Json::object().set("input", std::move(input)).set("mode", mode));
  }
  [[nodiscard]] Json thread() const { return get("/threads/" + thread_).json["thread"]; }
  [[nodiscard]] bool awaitStatus(const std::string& status) const {
    return eventually([&] { return thread()["status"].asString() == status; });
  }
  [[nodiscard]] std::vector<Json> events(const std::string& type = {}) const {
    std::vector<Json> out;
    const auto answer = get("/threads/" + thread_ + "/events?limit=500");
    for (const auto& event : answer.json["events"].items()) {
      if (type.empty() || event["type"].asString() == type) {
        out.push_back(event);
      }
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const auto& event : events()) {
      out.push_back(event["type"].asString());
    }
    return out;
  }
  [[nodiscard]] std::string lastTurn() const {
    const auto ends = events("turn/completed");
    return ends.empty() ? std::string() : ends.back()["data"]["status"].asString();
  }
  [[nodiscard]] bool says(const std::string& text) const {
    const auto all = events();
    return std::any_of(all.begin(), all.end(), [&](const Json& event) {
      return event["data"].dump().find(text) != std::string::npos;
    });
  }
  [[nodiscard]] std::string output() const {
    return get("/threads/" + thread_ + "/output").json["output"].asString();
  }
  /// Waits until the text is on the page, which the log has at the end of its item.
  [[nodiscard]] bool awaitLiveText(const std::string& text) const {
    return eventually([&] {
      return get("/threads/" + thread_ + "/timeline").body.find('"' + text + '"') !=
             std::string::npos;
    });
  }
  /// The one that waits.
  [[nodiscard]] Json interaction() const {
    Json found;
    EXPECT_TRUE(eventually([&] {
      const auto list = get("/threads/" + thread_ + "/interactions").json["interactions"];
      found = list.items().empty() ? Json() : list.items().front();
      return !found.isNull();
    }));
    return found;
  }
  Answer resolve(const Json& waiting, const std::string& resolution) const {
    return post("/threads/" + thread_ + "/interactions/" + waiting["id"].asString() + "/resolve",
                Json::object().set("resolution", Json::parse(resolution).value()));
  }
  /// The server goes and comes back on another port; its machine follows.
  void restartServer() {
    server_->kill();
    server_->start();
    relay_->leadTo(server_->port());
    relay_->cut();
    ASSERT_TRUE(awaitConnected(*server_, machine_->id()));
  }
  /// No line of the log is there twice, none is missing.
  void expectExactLog() const {
    std::int64_t seq = 0;
    std::vector<std::string> seen;
    for (const auto& event : events()) {
      EXPECT_EQ(event["seq"].asInteger(), ++seq);
      auto text = event["type"].asString() + event["scope"].dump() + event["data"].dump();
      // What the service says of itself may come again: an answer that did not get through is tried again.
      EXPECT_TRUE(text.starts_with("system/") || std::count(seen.begin(), seen.end(), text) == 0)
          << text;
      seen.push_back(std::move(text));
    }
  }

  /// Of the server, beside those of begin().
  std::vector<std::string> more_options_;
  std::unique_ptr<TempDir> place_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<Machine> machine_;
  std::string project_;
  std::string thread_;
};

}  // namespace svc::test
