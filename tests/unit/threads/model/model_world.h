#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fakes/fake_clock.h"
#include "fakes/inline_workers.h"
#include "interaction_desk.h"
#include "kept_timelines.h"
#include "message_queue.h"
#include "model_machine.h"
#include "thread_records.h"
#include "turn_runner.h"

namespace svc::threads::model {

/// Places that are ready when the dice say so.
class ModelPlaces final : public IEnvironmentSource {
 public:
  ModelPlaces(Dice& dice, MortalStore& store) : dice_(dice), store_(store) {}
  Status check(const EnvironmentNeed& /*need*/) const override { return {}; }
  std::optional<ReadyEnvironment> find(const std::string& /*environment_id*/) const override {
    return {};
  }
  void resolve(EnvironmentNeed need, PlaceListener told,
               Completion<ReadyEnvironment> done) override;
  std::string lost(const std::string& /*environment_id*/, const std::string& /*detail*/) override {
    return "put it back";
  }
  void abandon(const std::string& /*thread_id*/) override {}
  bool answer(bool kind);
  void clear();

 private:
  struct Asked {
    EnvironmentNeed need;
    PlaceListener told;
    Completion<ReadyEnvironment> done;
  };
  Dice& dice_;
  MortalStore& store_;
  std::vector<Asked> asked_;
};

/// A plugin that decides over messages when the dice say so.
class ModelHooks final : public agents::IDispatchHooks {
 public:
  ModelHooks(Dice& dice, MortalStore& store, StoreWatch& watch, IClock& clock)
      : dice_(dice), store_(store), watch_(watch), clock_(clock) {}
  void decide(common::RawJson context, Completion<agents::DispatchDecision> done) override;
  Handle onRecheck(std::function<void(const std::string& plugin_id)> listener) override;
  bool answer(bool kind);
  void recheck();
  void clear();

 private:
  Dice& dice_;
  MortalStore& store_;
  StoreWatch& watch_;
  IClock& clock_;
  std::vector<Completion<agents::DispatchDecision>> asked_;
  std::function<void(const std::string&)> listener_;
};

/// Main, which runs what is posted at once.
class InlineMain final : public IMainExecutor {
 public:
  void post(Task task) override { task(); }
  Handle after(std::chrono::milliseconds /*delay*/, Task /*task*/) override { return Handle(); }
  bool isCurrent() const override { return true; }
};

/// A window that follows a thread by what changes.
struct Window {
  std::map<std::string, common::Json> rows{};
  std::vector<std::string> order{};
  std::int64_t seq = 0;
};

/// The threads of a server as it is, with a store that outlives it, and what is known of what it has promised.
class World {
 public:
  /// The store as a server finds it that has just started.
  using Reopen = std::function<storage::IThreadStore&()>;
  World(std::uint64_t seed, Reopen reopen);
  ~World() { stop(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Does something, and looks whether all is as it has to be.
  void step();
  /// All comes to an end, and what was promised is looked for.
  void finish();
  [[nodiscard]] const std::vector<std::string>& problems() const { return watch_.problems(); }
  [[nodiscard]] const std::vector<std::string>& steps() const { return steps_; }

 private:
  struct Deed {
    std::size_t weight;
    const char* name;
    void (World::*does)();
  };
  static const std::vector<Deed> kDeeds;

  /// What has been said, and how often it may be found in queues and requests together.
  struct Promise {
    std::string thread_id{};
    int at_least = 0;
    int at_most = 1;
  };
  using Answered = std::function<void(const Result<common::Json>& answer)>;

  void start();
  void stop();
  void restart(bool killed);
  /// An answer that arrives while the server lives.
  [[nodiscard]] Completion<common::Json> whenAnswered(Answered then);
  [[nodiscard]] common::Json newWords(const std::string& thread_id, std::string* word);
  [[nodiscard]] Answered kept(const std::string& word);
  /// A thread that is there; empty when there is none.
  [[nodiscard]] std::string someThread();
  [[nodiscard]] std::string someRow(const std::string& thread_id);
  [[nodiscard]] std::int64_t someTime();
  void note(const std::string& text) { steps_.back() += " " + text; }

  void spawn();
  void send();
  void enqueue();
  void retry();
  void stopThread();
  void sendNow();
  void edit();
  void removeRow();
  void reorder();
  void group();
  void answerQuestion();
  void cancelQuestion();
  void askForm();
  void archive();
  void unarchive();
  void remove();
  void tellLate();
  void command() { (void)machine_.doCommand(false); }
  void say() { (void)machine_.say(false); }
  void deliver() { (void)machine_.deliver(); }
  void deliverAgain() { (void)machine_.deliverAgain(); }
  void tellAgain() { (void)machine_.tellAgain(); }
  void loseMachine() { machine_.lose(dice_.chance(70)); }
  void findMachine() { machine_.away = false; }
  void placeReady() { (void)places_.answer(false); }
  void decide() { (void)hooks_.answer(false); }
  void recheck() { hooks_.recheck(); }
  void tick();
  void fillDisk() { store_.full = true; }
  void freeDisk() { store_.full = false; }
  void beginToDie();
  void restartWell() { restart(false); }
  void look();

  void stopThreads(const std::vector<std::string>& ids, const char* reason, Task then);
  bool settleOnce();
  void lookAt(const std::string& thread_id);
  void checkPromises();
  void checkTaken();
  void checkWindows();

  Dice dice_;
  Reopen reopen_;
  svc::test::FakeClock clock_;
  svc::test::InlineWorkers workers_;
  InlineMain main_;
  StoreWatch watch_;
  MortalStore store_;
  ModelMachine machine_{dice_, store_, watch_};
  ModelPlaces places_{dice_, store_};
  ModelHooks hooks_{dice_, store_, watch_, clock_};

  std::unique_ptr<LiveTexts> live_;
  std::unique_ptr<ThreadBook> book_;
  std::unique_ptr<KeptTimelines> timelines_;
  std::unique_ptr<ThreadRecords> records_;
  std::unique_ptr<MessageQueue> queue_;
  std::unique_ptr<TurnRunner> runner_;
  std::unique_ptr<InteractionDesk> desk_;

  std::map<std::string, Promise> promises_;
  std::map<std::string, Window> windows_;
  int words_ = 0;
  std::vector<std::string> steps_;
};

}  // namespace svc::threads::model
