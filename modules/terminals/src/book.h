#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/common/json.h"
#include "svc/hostprotocol/terminal_ring.h"
#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/realtime/realtime.h"

#include "journal.h"
#include "output_query.h"
#include "record.h"

namespace svc::terminals {

/// A terminal that somebody wants.
struct NewTerminal {
  std::string host_id;
  /// Absent = the user's home.
  std::optional<std::string> cwd;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::string title;
  /// Empty = the user's shell.
  std::string command;
  /// Of a thread or an environment; both empty = a path of the machine.
  std::string thread_id{};
  std::string environment_id{};
  std::string project_id{};
};

/// Why a terminal of this thread in this environment may not live, as a `reason`; nullptr = it may. An empty id is none. Quick, any thread.
using WhyGone =
    std::function<const char*(const std::string& thread_id, const std::string& environment_id)>;

/// Says that the terminals of this thread are others now.
using TellThread = std::function<void(const std::string& thread_id)>;

/// Which ones somebody asks for; what is empty is any.
struct TerminalFilter {
  std::string kind;
  std::string host_id;
  std::string cwd;
  std::string thread_id;
  std::string environment_id;
};

/// The terminals of all machines: records, their output as the daemons send it, and what clients do with them. Lives on the io thread.
///
/// starting → running → exited; running → disconnected when its host is gone beyond its grace, and back when the daemon still has it.
class Book final : public hosts::IHostListener, public std::enable_shared_from_this<Book> {
 public:
  /// Input that has not reached the program.
  static constexpr std::size_t kInputOnTheWay = 512UL * 1024;
  /// Between two acknowledgements: with the daemon's window, what one terminal may send in a while.
  static constexpr std::chrono::milliseconds kAcknowledge{50};
  /// How long the answer to close waits for the end.
  static constexpr std::chrono::seconds kCloseWait{5};
  static constexpr std::chrono::minutes kSweep{10};
  /// Of those that have ended: records, and output.
  static constexpr std::size_t kEndedKept = 1000;
  static constexpr std::size_t kEndedRings = 64;
  /// Requests that wait for output of one terminal.
  static constexpr std::size_t kWaiting = 64;

  struct With {
    http::IReactor& reactor;
    const IClock& clock;
    hosts::IHostCommands& commands;
    hosts::IHostMessages& messages;
    const machines::IHostRegistry& registry;
    std::shared_ptr<Journal> journal;
    realtime::IRealtimeHub* hub = nullptr;
    /// Where clients reach the server, for programs on its own machine.
    std::string data_directory{};
    TellThread tell_thread = [](const std::string&) {};
    WhyGone why_gone = [](const std::string&, const std::string&) -> const char* {
      return nullptr;
    };
  };
  explicit Book(With with) : with_(std::move(with)) {}

  /// What was there when the server ended.
  void load(std::vector<storage::TerminalRow> rows);
  void start();

  using Answer = Completion<common::Json>;  ///< with the record
  void create(NewTerminal wanted, Answer done);
  [[nodiscard]] Result<common::Json> get(const std::string& id) const;
  [[nodiscard]] common::Json list(const TerminalFilter& filter) const;
  /// The body of the answer.
  void output(const std::string& id, const OutputQuery& query, Completion<std::string> done);
  void close(const std::string& id, bool force, Answer done);
  [[nodiscard]] Result<common::Json> input(const std::string& id, const std::string& bytes);
  [[nodiscard]] Result<common::Json> resize(const std::string& id, std::int64_t columns,
                                            std::int64_t rows);
  [[nodiscard]] Result<common::Json> rename(const std::string& id, std::string title);
  void restart(const std::string& id, Answer done);
  /// The thread or the environment is archived, deleted or destroyed: its terminals close, those of a machine that is away as well.
  void placeGone(const std::string& place_id, const char* why);

  void hostOpened(const std::string& host_id) override;
  void hostClosed(const std::string& host_id) override;
  void hostGone(const std::string& host_id) override;
  void hostMessage(const std::string& host_id, std::string_view type,
                   std::string_view text) override;

 private:
  struct Waiting {
    OutputQuery query;
    std::shared_ptr<Completion<std::string>> done;
    Handle timer;
  };
  struct Closing {
    std::shared_ptr<Answer> done;
    Handle timer;
  };
  struct Entry {
    storage::TerminalRow row;
    hostprotocol::TerminalRing ring;
    /// It was opened through an earlier run of the server, which had its output.
    bool is_older = false;
    std::size_t input_on_the_way = 0;
    /// It is being closed: the reason of its end. nullptr = nobody closes it.
    const char* closed_because = nullptr;
    Handle acknowledgement{};
    std::map<std::uint64_t, Waiting> waiting{};
    std::map<std::uint64_t, Closing> closing{};
  };

  [[nodiscard]] Entry* find(const std::string& id);
  [[nodiscard]] const Entry* find(const std::string& id) const;
  [[nodiscard]] Result<Entry*> running(const std::string& id);
  /// Nobody has the output of one that has ended any more: asked for it, the book says that there was some.
  static void tellLost(Entry& entry);
  [[nodiscard]] std::size_t liveOn(const std::string& host_id) const;
  [[nodiscard]] std::string openCommand(const storage::TerminalRow& row,
                                        const NewTerminal& wanted) const;
  void opened(const std::string& id, Result<std::string> result, Answer done);
  void resumed(const std::string& host_id, const std::vector<std::string>& named,
               const Result<std::string>& result);
  void closeAnswered(const std::string& id, Result<std::string> result, Answer done);
  void awaitEnd(Entry& entry, Answer done);
  [[nodiscard]] Status checkPlace(const NewTerminal& wanted) const;
  void closeBecause(const std::string& id, const char* why);
  /// Those whose place went while nobody looked.
  void closeHomeless();
  void arrived(Entry& entry, std::string_view text);
  void acknowledge(Entry& entry);
  void tellExit(const std::string& host_id, const std::string& id, std::uint64_t seq);
  void end(Entry& entry, const char* why, std::int64_t exit_code = storage::kNoExitCode);
  void wake(Entry& entry);
  void changed(Entry& entry);
  void tell(const storage::TerminalRow& row);
  void sweep();
  void forget(const std::string& id);
  [[nodiscard]] Error unreachable(const std::string& host_id) const;

  With with_;
  std::map<std::string, Entry> entries_;
  /// Ended ones, the oldest first.
  std::list<std::string> ended_;
  std::set<std::string> open_hosts_;
  /// Terminals of daemons that nobody knows and that were told to close.
  std::set<std::string> strangers_;
  std::uint64_t last_number_ = 0;
  Handle sweep_timer_;
};

}  // namespace svc::terminals
