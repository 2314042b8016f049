// What a machine says arrives in pieces, late, twice and over several connections: the log and the timeline do not show it.
#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <regex>

#include <fmt/format.h>

#include "fakes/inline_workers.h"
#include "frame_daemon.h"
#include "interaction_desk.h"
#include "thread_record.h"
#include "timeline.h"
#include "turn_runner.h"
#include "unit/providers/fixture.h"
#include "unit/threads/fixture.h"

namespace svc::threads::frames {
namespace {

using common::Json;

class FixedPlaces final : public IEnvironmentSource {
 public:
  std::string lost(const std::string& /*environment_id*/, const std::string& /*detail*/) override {
    return {};
  }
  void abandon(const std::string& /*thread_id*/) override {}
  Status check(const EnvironmentNeed& /*need*/) const override { return {}; }
  std::optional<ReadyEnvironment> find(const std::string& /*environment_id*/) const override {
    return {};
  }
  void resolve(EnvironmentNeed /*need*/, PlaceListener /*told*/,
               Completion<ReadyEnvironment> done) override {
    done(ReadyEnvironment{.environment_id = "env_a", .host_id = "host_a", .cwd = "/work"});
  }
};

/// What is left of a thread at its end: log and rows, with names for the ids that are made up anew each time.
struct Left {
  std::vector<std::string> log{};
  std::vector<std::string> rows{};
};

/// A server and a machine, with a connection that is as bad as the dice say.
class Line {
 public:
  /// Without dice nothing goes wrong.
  Line(std::uint64_t script, std::optional<std::uint64_t> dice)
      : bad_(dice.has_value()),
        dice_(dice.value_or(0)),
        daemon_(script, [this](std::string frame) { frames_.push_back(std::move(frame)); }) {
    using ::testing::_;
    const machines::Host own{
        .id = "host_a", .name = "server", .is_server = true, .connected = true};
    ON_CALL(machines_, list).WillByDefault(::testing::Return(std::vector<machines::Host>{own}));
    ON_CALL(machines_, find(_)).WillByDefault(::testing::Return(std::optional(own)));
    ON_CALL(commands_, send(_, _, _, _))
        .WillByDefault([this](const std::string&, const std::string& command,
                              std::chrono::milliseconds, Completion<std::string> done) {
          commands_sent_.push_back({Json::parse(command).value(), std::move(done)});
        });
    catalogue_ = std::make_shared<providers::Catalogue>(providers::Catalogue::With{
        .commands = commands_,
        .machines = machines_,
        .declared = [] { return std::vector<std::pair<std::string, Json>>(); },
        .changed = [] {}});
    catalogue_->configure({{"agent", {.id = "agent", .command = "agent"}}});
    catalogue_->hostOpened("host_a");
    commands_sent_.back().done(std::string(R"({"providers":[{"id":"agent","available":true}]})"));
    commands_sent_.clear();
    sessions_ =
        std::make_shared<providers::Sessions>(providers::Sessions::With{.reactor = io_,
                                                                        .commands = commands_,
                                                                        .messages = messages_,
                                                                        .machines = machines_,
                                                                        .catalogue = catalogue_,
                                                                        .outfitter = outfitter_,
                                                                        .workers = workers_});
    EXPECT_TRUE(book_.open().ok());
    runner_.emplace(book_, workers_,
                    Crew{.agents = sessions_.get(), .environments = &places_, .live = &live_});
    desk_.emplace(book_, *runner_);
    EXPECT_TRUE(runner_->recover().ok());
  }

  Left talk() {
    SpawnRequest request;
    request.row.project_id = "proj_a";
    request.row.provider_id = "agent";
    request.intent = Json::object().set("type", "project-default");
    request.first = {.input = said("first"), .execution = Json::object(), .source = "spawn"};
    runner_->spawn(std::move(request), [this](const Result<Json>& made) {
      thread_ = made ? made.value()["id"].asString() : made.error().message;
    });
    settle();
    runner_->send(
        {.message = {.thread_id = thread_, .input = said("second"), .execution = Json::object()}},
        [](const Result<Json>&) {});
    settle();
    return left();
  }

 private:
  struct Sent {
    Json command;
    Completion<std::string> done;
  };

  static Json said(const std::string& text) {
    auto input = Json::array();
    input.push(Json::object().set("type", "text").set("text", text));
    return input;
  }
  bool chance(std::uint64_t percent) { return bad_ && dice_() % 100 < percent; }

  /// Until nothing moves any more.
  void settle() {
    constexpr int kRounds = 20'000;
    for (int round = 0; round < kRounds; ++round) {
      if (!move()) {
        return;
      }
    }
    ADD_FAILURE() << "it does not come to rest";
  }

  bool move() {
    io_.runAll();
    if (!commands_sent_.empty()) {
      obey();
      return true;
    }
    if (chance(6)) {
      reconnect();
      return true;
    }
    if (passAcknowledgements()) {
      return true;
    }
    // While frames are late the agent goes on.
    if ((frames_.empty() || chance(50)) && daemon_.go()) {
      return true;
    }
    if (!frames_.empty()) {
      deliver();
      return true;
    }
    if (!daemon_.isSettled()) {
      io_.advance(providers::Sessions::kAgain);
      if (++idle_ > 3 && bad_) {
        reconnect();
      }
      return true;
    }
    return answerQuestion();
  }

  void obey() {
    auto sent = std::move(commands_sent_.front());
    commands_sent_.pop_front();
    auto answer = daemon_.answer(sent.command).dump();
    sent.done(std::move(answer));
  }

  bool passAcknowledgements() {
    const bool any = passed_ < messages_.told.size() && !chance(60);
    while (any && passed_ < messages_.told.size()) {
      daemon_.acknowledge(static_cast<std::uint64_t>(messages_.told[passed_++]["seq"].asInteger()));
    }
    return any;
  }

  void reconnect() {
    idle_ = 0;
    frames_.clear();
    passed_ = messages_.told.size();
    daemon_.disconnect();
    sessions_->hostClosed("host_a");
    io_.runAll();
    while (chance(60) && daemon_.go()) {
    }
    frames_.clear();
    sessions_->hostOpened("host_a");
    io_.runAll();
  }

  void deliver() {
    idle_ = 0;
    const auto frame = frames_.front();
    frames_.pop_front();
    if (chance(25)) {
      const auto whole = Json::parse(frame).value();
      const auto& events = whole["events"].items();
      const auto middle = static_cast<std::ptrdiff_t>(dice_() % (events.size() + 1));
      hear(Json(whole).set("events", Json::Array(events.begin(), events.begin() + middle)).dump());
      hear(Json(whole).set("events", Json::Array(events.begin() + middle, events.end())).dump());
    } else {
      hear(frame);
    }
    if (chance(20)) {
      hear(frame);
    }
  }
  /// Now and then the store takes nothing of it.
  void hear(const std::string& frame) {
    if (chance(15)) {
      store_.broken = Error{errc::kUnavailable, "the disk is full"};
    }
    sessions_->hostMessage("host_a", "agent.events", frame);
    io_.runAll();
    store_.broken.reset();
  }

  bool answerQuestion() {
    const auto open = book_.interactions(thread_);
    for (const auto& row : open) {
      desk_->resolve(thread_, row.id, Json::object().set("decision", "allow_once"),
                     [](const Result<Json>& done) { EXPECT_TRUE(done.ok()); });
    }
    return !open.empty();
  }

  Left left() {
    Left out;
    const auto events = store_.events({.thread_id = thread_, .limit = 10'000});
    for (const auto& event : events.value()) {
      out.log.push_back(plain(fmt::format("{} {} {}", event.type, event.turn_id, event.data)));
    }
    const auto timeline =
        readTimeline(book_, {.thread_id = thread_, .segment_limit = 20, .include_nested = true});
    for (const auto& row : timeline.value()["rows"].items()) {
      out.rows.push_back(plain(row.dump()));
    }
    return out;
  }
  std::string plain(const std::string& text) {
    static const std::regex kId("(thr|turn|req|evt|int|ses|env)_[0-9a-z]{8,}");
    std::string out;
    auto from = text.cbegin();
    for (std::sregex_iterator at(text.begin(), text.end(), kId), end; at != end; ++at) {
      out.append(from, text.cbegin() + at->position());
      out += fmt::format("{}#{}", at->str(1),
                         names_.try_emplace(at->str(), names_.size()).first->second);
      from = text.cbegin() + at->position() + at->length();
    }
    return out.append(from, text.cend());
  }

  const bool bad_;
  std::mt19937_64 dice_;
  FrameDaemon daemon_;
  std::deque<std::string> frames_;
  std::deque<Sent> commands_sent_;
  std::size_t passed_ = 0;
  int idle_ = 0;

  svc::test::FakeClock clock_;
  svc::test::InlineWorkers workers_;
  BreakableStore store_;
  svc::test::FakeReactor io_;
  ::testing::NiceMock<hosts::MockHostCommands> commands_;
  ::testing::NiceMock<machines::MockHostRegistry> machines_;
  providers::ToldMessages messages_;
  std::shared_ptr<providers::PlainOutfitter> outfitter_ =
      std::make_shared<providers::PlainOutfitter>();
  std::shared_ptr<providers::Catalogue> catalogue_;
  std::shared_ptr<providers::Sessions> sessions_;
  FixedPlaces places_;
  LiveTexts live_{[](const std::string&, const Delta&) {}};
  ThreadBook book_{store_, clock_, Announcements{}};
  std::optional<TurnRunner> runner_;
  std::optional<InteractionDesk> desk_;
  std::string thread_;
  std::map<std::string, std::size_t> names_;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) {
    out += line + "\n";
  }
  return out;
}

TEST(FramesTest, HoweverFramesArriveTheLogAndTheRowsAreTheSame) {
  constexpr std::uint64_t kScripts = 25;
  constexpr std::uint64_t kConnections = 4;
  for (std::uint64_t script = 1; script <= kScripts; ++script) {
    const auto good = Line(script, std::nullopt).talk();
    ASSERT_GT(good.rows.size(), 3U);
    for (std::uint64_t dice = 1; dice <= kConnections; ++dice) {
      const auto bad = Line(script, script * 1000 + dice).talk();
      ASSERT_EQ(joined(good.log), joined(bad.log)) << "script " << script << ", dice " << dice;
      ASSERT_EQ(joined(good.rows), joined(bad.rows)) << "script " << script << ", dice " << dice;
    }
  }
}

}  // namespace
}  // namespace svc::threads::frames
