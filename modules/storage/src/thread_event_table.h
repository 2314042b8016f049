#pragma once

#include <string>
#include <vector>

#include "svc/storage/thread_store.h"

#include "database.h"

namespace svc::storage {

/// The table thread_events and how far the sessions of agents are in it, through statements prepared once. Thread of the connection;
/// throws SqliteFailure.
class ThreadEventTable {
 public:
  explicit ThreadEventTable(const Database& database);

  [[nodiscard]] std::vector<ThreadEventRow> list(const ThreadEventQuery& query);
  [[nodiscard]] std::vector<ThreadEventRow> find(const std::string& text,
                                                 const std::vector<std::string>& types,
                                                 std::size_t limit);
  /// False when the session is there or beyond already; else it is there now.
  [[nodiscard]] bool advance(const SessionPosition& position);
  void apply(const ThreadChange& change);

 private:
  Statement ascending_;
  Statement descending_;
  Statement find_;
  Statement put_;
  Statement position_of_;
  Statement put_position_;
  Statement remove_of_;
  Statement remove_positions_of_;
};

}  // namespace svc::storage
