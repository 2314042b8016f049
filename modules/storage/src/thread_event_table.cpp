#include "thread_event_table.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "svc/common/fold.h"

#include "sqlite_failure.h"

namespace svc::storage {
namespace {

constexpr const char* kColumns = "id, thread_id, seq, type, turn_id, data, created_at";

std::string listSql(const char* direction) {
  return fmt::format(
      "SELECT {} FROM thread_events WHERE thread_id=? AND seq>? AND seq<? ORDER BY seq {} LIMIT ?",
      kColumns, direction);
}

// The index has all that it reads, and must: the table's own order would pass every event of the thread.
std::string placesSql(const char* direction) {
  return fmt::format(
      "SELECT seq FROM thread_events INDEXED BY thread_events_by_type WHERE thread_id=? AND type=? "
      "AND seq>? AND seq<? ORDER BY seq {} LIMIT ?",
      direction);
}

std::string atSql(const char* direction) {
  return fmt::format(
      "SELECT {} FROM thread_events WHERE thread_id=? AND seq IN (SELECT value FROM json_each(?)) "
      "ORDER BY seq {}",
      kColumns, direction);
}

std::string typesText(const std::vector<std::string>& types) {
  auto out = common::Json::array();
  for (const auto& type : types) {
    out.push(type);
  }
  return out.dump();
}

std::vector<ThreadEventRow> readEvents(Run rows) {
  std::vector<ThreadEventRow> out;
  while (rows.next()) {
    ThreadEventRow row;
    row.id = rows.text(0);
    row.thread_id = rows.text(1);
    row.seq = rows.integer(2);
    row.type = rows.text(3);
    row.turn_id = rows.text(4);
    row.data = rows.text(5);
    row.created_at = rows.integer(6);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

ThreadEventTable::ThreadEventTable(const Database& database)
    : ascending_(database.handle(), "ASC"),
      descending_(database.handle(), "DESC"),
      find_(database.handle(),
            fmt::format("SELECT {} FROM thread_events WHERE type IN (SELECT value FROM "
                        "json_each(?)) AND contains_folded(data, ?) ORDER BY created_at DESC, id "
                        "DESC LIMIT ?",
                        kColumns)),
      put_(database.handle(),
           "INSERT INTO thread_events (id, thread_id, seq, type, turn_id, data, created_at) "
           "VALUES (?,?,?,?,?,?,?)"),
      position_of_(database.handle(),
                   "SELECT seq FROM thread_sessions WHERE thread_id=? AND session=?"),
      put_position_(database.handle(),
                    "INSERT OR REPLACE INTO thread_sessions (thread_id, session, seq) VALUES "
                    "(?,?,?)"),
      remove_of_(database.handle(), "DELETE FROM thread_events WHERE thread_id=?"),
      remove_positions_of_(database.handle(), "DELETE FROM thread_sessions WHERE thread_id=?") {}

ThreadEventTable::Reads::Reads(sqlite3* database, const char* direction)
    : all(database, listSql(direction)),
      places(database, placesSql(direction)),
      at(database, atSql(direction)) {}

std::vector<ThreadEventRow> ThreadEventTable::list(const ThreadEventQuery& query) {
  const auto before =
      query.before_seq == 0 ? std::numeric_limits<std::int64_t>::max() : query.before_seq;
  auto& reads = query.descending ? descending_ : ascending_;
  if (!query.types.empty()) {
    const auto wanted = seqsOfTypes(reads, query, before);
    return wanted.items().empty() ? std::vector<ThreadEventRow>()
                                  : readEvents(reads.at.run(query.thread_id, wanted.dump()));
  }
  return readEvents(reads.all.run(query.thread_id, query.after_seq, before,
                                  static_cast<std::int64_t>(query.limit)));
}

common::Json ThreadEventTable::seqsOfTypes(Reads& reads, const ThreadEventQuery& query,
                                           std::int64_t before) {
  auto types = query.types;
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  std::vector<std::int64_t> seqs;
  auto after = query.after_seq;
  for (const auto& type : types) {
    auto rows = reads.places.run(query.thread_id, type, after, before,
                                 static_cast<std::int64_t>(query.limit));
    while (rows.next()) {
      seqs.push_back(rows.integer(0));
    }
    if (seqs.size() > query.limit) {
      const auto last = seqs.begin() + static_cast<std::ptrdiff_t>(query.limit);
      query.descending ? std::nth_element(seqs.begin(), last, seqs.end(), std::greater<>())
                       : std::nth_element(seqs.begin(), last, seqs.end());
      // What lies behind the first one left out need not be read of the types that follow.
      (query.descending ? after : before) = *last;
      seqs.erase(last, seqs.end());
    }
  }
  auto out = common::Json::array();
  for (const auto seq : seqs) {
    out.push(seq);
  }
  return out;
}

std::vector<ThreadEventRow> ThreadEventTable::find(const std::string& text,
                                                   const std::vector<std::string>& types,
                                                   std::size_t limit) {
  const auto wanted = typesText(types);
  const auto needle = common::foldCase(text);
  return readEvents(find_.run(wanted, needle, static_cast<std::int64_t>(limit)));
}

bool ThreadEventTable::advance(const SessionPosition& position) {
  {
    auto rows = position_of_.run(position.thread_id, position.session);
    if (rows.next() && rows.integer(0) >= position.seq) {
      return false;
    }
  }
  put_position_.execute(position.thread_id, position.session, position.seq);
  return true;
}

void ThreadEventTable::apply(const ThreadChange& change) {
  for (const auto& id : change.gone_threads) {
    remove_of_.execute(id);
    remove_positions_of_.execute(id);
  }
  for (const auto& row : change.events) {
    put_.execute(row.id, row.thread_id, row.seq, row.type, row.turn_id, row.data, row.created_at);
  }
}

}  // namespace svc::storage
