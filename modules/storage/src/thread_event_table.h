#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/common/json.h"
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
  /// The statements of one direction: all events of a range, where those of a type are, the events at these places.
  struct Reads {
    Reads(sqlite3* database, const char* direction);
    Statement all;
    Statement places;
    Statement at;
  };

  /// Where the events that the query asks for are, in any order: an array of seq. However long the thread is, only those of the
  /// types are looked at.
  [[nodiscard]] static common::Json seqsOfTypes(Reads& reads, const ThreadEventQuery& query,
                                                std::int64_t before);

  Reads ascending_;
  Reads descending_;
  Statement find_;
  Statement put_;
  Statement position_of_;
  Statement put_position_;
  Statement remove_of_;
  Statement remove_positions_of_;
};

}  // namespace svc::storage
