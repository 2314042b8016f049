#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "svc/environments/environments.h"
#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/kernel/executor.h"
#include "svc/machines/host_registry.h"
#include "svc/projects/projects.h"

#include "intent.h"
#include "rows.h"
#include "states.h"

namespace svc::environments {

/// `kind` is one of the contract: "environment-created", "status-changed", …
using Announcer = std::function<void(const std::string& environment_id, const char* kind)>;

/// All environments and what becomes of them. Lives on io, where machines answer and timers end; what other threads may call says so. A row is
/// stored before any work begins, and machines that are asked twice do a thing once, so what a crash has interrupted goes on when its
/// machine is there again.
class Book final : public IEnvironments,
                   public hosts::IHostListener,
                   public std::enable_shared_from_this<Book> {
 public:
  struct With {
    std::shared_ptr<Rows> rows;
    hosts::IHostCommands& commands;
    const machines::IHostRegistry& machines;
    const projects::IProjects& projects;
    IExecutor& io;
    const IClock& clock;
    Announcer announce;
    std::string data_directory{};  ///< for scripts on the server's own machine
  };
  explicit Book(With with) : with_(std::move(with)) {}

  // Any thread.
  [[nodiscard]] std::optional<Environment> find(std::string_view environment_id) const override;
  [[nodiscard]] Status check(const Wish& wish) const override;
  void resolve(Wish wish, Progress progress, Completion<Environment> done) override;
  void awaitReady(const std::string& environment_id, Progress progress,
                  Completion<Environment> done) override;
  void cancel(const std::string& environment_id) override;
  void retry(const std::string& environment_id, Progress progress,
             Completion<Environment> done) override;
  void lost(const std::string& environment_id, const std::string& detail) override;
  [[nodiscard]] Handle use(const std::string& environment_id) override;
  [[nodiscard]] Handle tellWork(Work work) override;
  /// Empty = it has no name of its own.
  [[nodiscard]] std::string workTitle(const std::string& environment_id) const;
  /// Begins the removal; the record as it is then. `conflict` while it is being made, which is ended, and while a turn runs there.
  void remove(const std::string& environment_id, Completion<common::Json> done);
  /// nullopt leaves, "" clears.
  void update(const std::string& environment_id, std::optional<std::string> name,
              std::optional<std::string> merge_base_branch, Completion<common::Json> done);
  /// Those of a project that is no more are removed.
  void projectRemoved(const std::string& project_id);
  /// Those of a machine that is no more are gone with it; nobody can be asked to take their folders away. Any thread.
  void machineRemoved(const std::string& host_id);
  /// Takes up the waits that were under way. On io, once.
  void begin();
  /// No timer ends any more. On io.
  void end();

  void hostOpened(const std::string& host_id) override;
  void hostClosed(const std::string& /*host_id*/) override {}
  void hostGone(const std::string& /*host_id*/) override {}
  void hostMessage(const std::string& /*host_id*/, std::string_view /*type*/,
                   std::string_view /*text*/) override {}

 private:
  using Row = storage::EnvironmentRow;

  void resolveNow(const Wish& wish, Progress progress, Completion<Environment> done);
  /// The intent with what it leaves to the project, when the project can have it.
  [[nodiscard]] Result<Intent> wanted(const Wish& wish) const;
  [[nodiscard]] Result<Environment> reusable(const Wish& wish, const Intent& intent) const;
  void useFolder(const Wish& wish, const Intent& intent, Completion<Environment> done);
  void folderFound(Row row, const common::Json& facts, const Wish& wish, const Intent& intent,
                   Completion<Environment> done);
  void checkOut(const Row& row, const Wish& wish, const Intent::Branch& branch,
                Completion<Environment> done);
  void make(const Wish& wish, const Intent& intent, Progress progress,
            Completion<Environment> done);
  [[nodiscard]] Status complete(const projects::Project& project, Intent& intent) const;
  [[nodiscard]] Result<std::string> sourceOn(const projects::Project& project,
                                             const std::string& host_id) const;
  [[nodiscard]] Row newRow(const Wish& wish, const Intent& intent, const char* kind) const;
  /// What a server that was killed has begun for the same wish, and who wished for it never heard of.
  [[nodiscard]] std::optional<Row> begunBefore(const Wish& wish, std::string_view kind);
  /// `host_unavailable` when nobody can be asked to make something there.
  [[nodiscard]] Status reachable(const std::string& host_id) const;

  // The life of one (book_life.cpp) and its end (book_end.cpp).
  void place(const std::string& id);
  void setUp(const std::string& id);
  void placed(Row row, const common::Json& facts);
  void goneWithMachine(Row row);
  void tearDown(const std::string& id);
  void toreDown(const std::string& id, const Result<common::Json>& answer);
  void countUse(const std::string& id, int by);
  void usesChanged(const std::string& id, bool used);
  /// Applies the event and stores; false when it does not happen in this state.
  bool move(Row row, Event event, std::string detail = {});
  bool movePhase(Row row, PhaseEvent event);
  void startTimer(const std::string& id, std::chrono::milliseconds delay,
                  void (Book::*then)(const std::string& id));
  void graceOver(const std::string& id);
  /// Who waits for the environment, who is told now.
  [[nodiscard]] std::vector<Completion<Environment>> takeWaiting(const std::string& id);
  void tellWaiting(const Row& row);
  void tell(const std::string& id, const char* key, const std::string& text, const char* status);
  /// Whether its machine was lost at work, and goes on when it is back: who waits hears that and asks again. Else it has failed.
  bool awaitsMachine(const Row& row, const Result<common::Json>& answer);
  [[nodiscard]] std::string failureOf(const std::string& id, const Error& error) const;
  /// A machine is at work on it (again).
  void tellBegun(const std::string& id, const char* key, const std::string& text);
  [[nodiscard]] std::string machineName(const std::string& host_id) const;
  /// Whether its machine makes it, which is told to end that then.
  bool endMaking(const Row& row);
  [[nodiscard]] common::Json command(const Row& row, std::string_view type) const;
  void ask(const std::string& host_id, const common::Json& command, std::chrono::milliseconds wait,
           std::function<void(const Result<common::Json>& answer)> then);

  const With with_;
  std::set<std::string> busy_;     ///< a machine is at work on them
  std::set<std::string> cut_off_;  ///< their machine was lost when it removed them, and is not back
  std::map<std::string, Handle> timers_;
  std::map<std::string, std::vector<Completion<Environment>>> waiting_;
  struct Making {
    std::vector<common::Json> steps;  ///< as they are now
    std::vector<Progress> listeners;
    int losses = 0;         ///< of its machine
    bool given_up = false;  ///< nobody wants it to go on
  };
  std::map<std::string, Making> making_;
  /// Environments that were made by servers before this one, by their owner; the newest.
  std::map<std::string, std::string> begun_before_;
  mutable std::mutex uses_mutex_;
  std::map<std::string, int> uses_;
  /// Outlives the book in handles.
  struct Told {
    std::mutex mutex;
    std::shared_ptr<const Work> work;
  };
  const std::shared_ptr<Told> told_ = std::make_shared<Told>();

  [[nodiscard]] std::string about(Work::About Work::*what, const std::string& environment_id) const;
};

/// Why one that has failed or is gone cannot be used.
[[nodiscard]] Error notUsable(const storage::EnvironmentRow& row);

}  // namespace svc::environments
