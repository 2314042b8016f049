#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/json.h"

#include "line_splitter.h"
#include "transcript_fixture.h"

namespace svc::agentd {
namespace {

/// Whoever follows the events has in the end what the agent said: items by id, as started, grown and completed.
class Follower {
 public:
  void take(const AgentEvent& event) {
    const auto& item = event.data["item"];
    if (event.type == "item/started") {
      auto& open = open_[item["id"].asString()];
      open = item["text"].asString() + item["aggregatedOutput"].asString();
      if (!item["content"].items().empty()) {
        open += item["content"].items().front().asString();
      }
    } else if (event.type == "item/delta") {
      auto& open = open_.at(event.data["itemId"].asString());
      ASSERT_EQ(event.data["offset"].asInteger(), utf16Length(open));
      open += event.data["text"].asString();
    } else if (event.type == "item/completed") {
      const auto id = item["id"].asString();
      ASSERT_TRUE(open_.contains(id)) << "an end without a beginning";
      if (item["type"].asString() == "agentMessage") {
        ASSERT_EQ(item["text"].asString(), open_[id]);
        texts.push_back(open_[id]);
      }
    }
  }
  std::vector<std::string> texts;

 private:
  std::map<std::string, std::string> open_;
};

std::string randomUpdate(std::mt19937& random) {
  const auto pick = [&random](std::initializer_list<const char*> from) {
    return std::string(*(from.begin() + random() % from.size()));
  };
  if (random() % 2 == 0) {
    return fmt::format(R"({{"sessionUpdate":"{}","content":{{"type":"text","text":"{}"}}}})",
                       pick({"agent_message_chunk", "agent_message_chunk", "agent_thought_chunk"}),
                       pick({"a", "é", "😀", "\\n", "longer words", ""}));
  }
  return fmt::format(
      R"({{"sessionUpdate":"{}","toolCallId":"c{}","title":"{}","kind":"{}","status":"{}","content":[{{"type":"content","content":{{"type":"text","text":"{}"}}}}]}})",
      pick({"tool_call", "tool_call_update"}), random() % 5, pick({"ls", "x", ""}),
      pick({"execute", "execute", "read", "edit"}),
      pick({"pending", "in_progress", "completed", "failed", "odd"}), pick({"", "o", "oö", "oöx"}));
}

TEST_F(TranscriptTest, AnyCourseInAnySplitGivesTheSameEventsAndTheyFit) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::string bytes;
    std::vector<std::string> updates;
    for (int count = 0; count < 60; ++count) {
      updates.push_back(randomUpdate(random));
      bytes += updates.back() + "\n";
    }
    const auto run = [&](std::size_t most) {
      std::vector<AgentEvent> events;
      Transcript transcript("s", "/",
                            [&](AgentEvent event) { events.push_back(std::move(event)); });
      LineSplitter splitter(1U << 20U);
      transcript.turnStarted("t", 1);
      for (std::size_t at = 0; at < bytes.size();) {
        const auto piece = 1 + random() % most;
        std::vector<std::string> lines;
        EXPECT_TRUE(splitter.add(std::string_view(bytes).substr(at, piece), lines));
        at += piece;
        for (const auto& line : lines) {
          transcript.update(Json::parse(line).value(), 1);
        }
      }
      transcript.turnEnded(1);
      std::string all;
      Follower follower;
      for (const auto& event : events) {
        follower.take(event);
        all += event.type + event.turn_id + event.data.dump() + "\n";
      }
      return all;
    };
    const auto whole = run(bytes.size());
    EXPECT_EQ(run(3), whole) << seed;
    EXPECT_EQ(run(100), whole) << seed;
    if (HasFatalFailure()) {
      FAIL() << seed;
    }
  }
}

}  // namespace
}  // namespace svc::agentd
