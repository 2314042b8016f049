#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner_fixture.h"
#include "thread_limits.h"
#include "timeline.h"

namespace svc::threads {

/// The rows of one thread, whose agent says what the test wants.
class TimelineTest : public RunnerFixture {
 protected:
  Json timeline(TimelineQuery query = {}) {
    query.thread_id = thread_;
    query.segment_limit = query.segment_limit == 0 ? kSegments : query.segment_limit;
    auto out = readTimeline(*book_, query);
    EXPECT_TRUE(out.ok());
    return out ? std::move(out).value() : Json();
  }
  /// Each row as its kind, with the text or the status.
  static std::vector<std::string> brief(const Json& rows) {
    std::vector<std::string> out;
    for (const auto& row : rows.items()) {
      auto kind = row["kind"].asString();
      if (kind == "conversation") {
        kind = row["role"].asString() + ":" + row["text"].asString();
      } else if (kind == "work") {
        kind = row["workKind"].asString() + ":" + row["status"].asString();
      } else if (kind == "turn") {
        kind += ":" + row["status"].asString() + ":" + std::to_string(row["stepCount"].asInteger());
      } else {
        kind += ":" + row["systemKind"].asString();
      }
      out.push_back(kind);
    }
    return out;
  }
  void item(const std::string& type, const std::string& data) {
    EXPECT_TRUE(hear(type, turn_, R"({"item":)" + data + "}"));
  }
  void work() {
    item("item/started",
         R"({"id":"c","type":"commandExecution","command":"ls","status":"pending"})");
    item("item/completed", R"({"id":"m1","type":"agentMessage","text":"Looking"})");
    item(
        "item/completed",
        R"({"id":"c","type":"commandExecution","command":"ls","status":"completed","exitCode":0})");
    item("item/completed", R"({"id":"f","type":"fileChange","status":"completed","changes":[)"
                           R"({"path":"/a","kind":"update","diff":"--- a\n+++ a\n-x\n+y\n+z\n"},)"
                           R"({"path":"/b","kind":"add"}]})");
  }
};

}  // namespace svc::threads
