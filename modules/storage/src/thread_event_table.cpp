#include "thread_event_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "svc/common/json.h"

#include "sqlite_failure.h"

namespace svc::storage {
namespace {

// One statement for each direction: types are a JSON array, "[]" stands for all.
constexpr const char* kEventSelect =
    "SELECT id, thread_id, seq, type, turn_id, data, created_at FROM thread_events WHERE "
    "thread_id=? AND seq>? AND seq<? AND (?='[]' OR type IN (SELECT value FROM json_each(?))) "
    "ORDER BY seq ";

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

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char byte) {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
  });
  return text;
}

}  // namespace

ThreadEventTable::ThreadEventTable(const Database& database)
    : ascending_(database.handle(), std::string(kEventSelect) + "ASC LIMIT ?"),
      descending_(database.handle(), std::string(kEventSelect) + "DESC LIMIT ?"),
      find_(database.handle(),
            "SELECT id, thread_id, seq, type, turn_id, data, created_at FROM thread_events WHERE "
            "type IN (SELECT value FROM json_each(?)) AND instr(lower(data), ?) > 0 ORDER BY "
            "created_at DESC, id DESC LIMIT ?"),
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

std::vector<ThreadEventRow> ThreadEventTable::list(const ThreadEventQuery& query) {
  const auto types = typesText(query.types);
  const auto before =
      query.before_seq == 0 ? std::numeric_limits<std::int64_t>::max() : query.before_seq;
  auto& statement = query.descending ? descending_ : ascending_;
  return readEvents(statement.run(query.thread_id, query.after_seq, before, types, types,
                                  static_cast<std::int64_t>(query.limit)));
}

std::vector<ThreadEventRow> ThreadEventTable::find(const std::string& text,
                                                   const std::vector<std::string>& types,
                                                   std::size_t limit) {
  const auto wanted = typesText(types);
  const auto needle = lowered(text);
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
