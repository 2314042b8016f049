#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/common/json.h"

#include "acp_message.h"
#include "transcript.h"

namespace svc::agentd {

/// One transcript, what the agent says to it, and the events that come of it.
class TranscriptTest : public ::testing::Test {
 protected:
  using Json = common::Json;

  void say(const std::string& update) {
    const auto json = Json::parse(update);
    ASSERT_TRUE(json.ok()) << update;
    transcript_.update(json.value(), ++now_);
  }
  void text(const std::string& words, const std::string& kind = "agent_message_chunk") {
    say(fmt::format(R"({{"sessionUpdate":"{}","content":{{"type":"text","text":{}}}}})", kind,
                    common::jsonString(words)));
  }
  /// A piece of a message as it stands in the line of the agent.
  void piece(const std::string& literal, const std::string& kind = "agent_message_chunk") {
    const auto message = parseAcpMessage(fmt::format(
        R"({{"method":"session/update","params":{{"update":{{"sessionUpdate":"{}","content":{{"type":"text","text":"{}"}}}}}}}})",
        kind, literal));
    ASSERT_TRUE(message.ok()) << literal;
    transcript_.update(message.value().params["update"], ++now_, message.value().cut_text);
  }
  /// The texts of all deltas, each with its offset; forgets nothing.
  std::vector<std::string> deltas() {
    std::vector<std::string> out;
    for (const auto& event : events_) {
      if (event.type == "item/delta") {
        out.push_back(
            fmt::format("{} {}", event.data["offset"].asInteger(), event.data["text"].asString()));
      }
    }
    return out;
  }
  /// Types and, of items, what they are: "item/started agentMessage", in order; forgets them.
  std::vector<std::string> told() {
    std::vector<std::string> names;
    for (const auto& event : events_) {
      const auto& type = event.data["item"]["type"].asString();
      names.push_back(type.empty() ? event.type : event.type + " " + type);
    }
    return names;
  }
  const Json& item(std::size_t index) { return events_.at(index).data["item"]; }
  const Json& lastItem() { return events_.back().data["item"]; }

  std::int64_t now_ = 1000;
  std::vector<AgentEvent> events_;
  Transcript transcript_{"s", "/work",
                         [this](AgentEvent event) { events_.push_back(std::move(event)); }};
};

}  // namespace svc::agentd
