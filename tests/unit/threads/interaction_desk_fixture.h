#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interaction_desk.h"
#include "runner_fixture.h"

namespace svc::threads {

/// The questions of a thread's agent, and who answers them.
class InteractionDeskTest : public RunnerFixture {
 protected:
  InteractionDesk& desk() {
    if (!desk_) {
      desk_ = std::make_unique<InteractionDesk>(*book_, *runner_);
    }
    return *desk_;
  }
  static common::Json parse(const std::string& text) { return common::Json::parse(text).value(); }
  /// The agent asks whether it may; the interaction's id.
  std::string asked() {
    spawn();
    begin();
    EXPECT_TRUE(hear("question/asked", turn_,
                     R"({"questionId":"q-1","payload":{"kind":"approval","reason":null,)"
                     R"("subject":{"kind":"command","itemId":"i"},)"
                     R"("availableDecisions":["allow_once","deny"]}})"));
    return book_->interactions(thread_).front().id;
  }
  Result<common::Json> resolve(const std::string& id, const std::string& resolution) {
    return answerOf([&](Completion<common::Json> done) {
      desk().resolve(thread_, id, parse(resolution), std::move(done));
    });
  }

  /// What the log says of the interactions, in its order.
  std::vector<std::string> statuses() {
    std::vector<std::string> out;
    const auto events = store_.events({.thread_id = thread_, .limit = 1000}).value();
    for (const auto& event : events) {
      if (event.type == "system/permissionGrant/lifecycle") {
        out.push_back(parse(event.data)["status"].asString());
      }
    }
    return out;
  }

  std::unique_ptr<InteractionDesk> desk_;
};

}  // namespace svc::threads
