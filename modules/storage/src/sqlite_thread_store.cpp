#include "sqlite_thread_store.h"

#include "blocking.h"

namespace svc::storage {

template <class T, class Ask>
Result<T> SqliteThreadStore::read(Ask ask) {
  return runBlocking(threads_, Access::kRead,
                     [ask = std::move(ask)](Side side) -> Result<T> { return ask(side); });
}

Result<std::vector<ThreadRow>> SqliteThreadStore::threads() {
  return read<std::vector<ThreadRow>>([this](Side side) { return tables_.on(side).threads(); });
}

Result<std::vector<TurnRow>> SqliteThreadStore::turns(const std::string& thread_id) {
  return read<std::vector<TurnRow>>(
      [this, thread_id](Side side) { return tables_.on(side).turns(thread_id); });
}

Result<std::vector<TurnRow>> SqliteThreadStore::openTurns() {
  return read<std::vector<TurnRow>>([this](Side side) { return tables_.on(side).openTurns(); });
}

Result<std::vector<QueuedMessageRow>> SqliteThreadStore::queuedMessages() {
  return read<std::vector<QueuedMessageRow>>(
      [this](Side side) { return tables_.on(side).queuedMessages(); });
}

Result<std::vector<InteractionRow>> SqliteThreadStore::openInteractions() {
  return read<std::vector<InteractionRow>>(
      [this](Side side) { return tables_.on(side).openInteractions(); });
}

Result<std::optional<InteractionRow>> SqliteThreadStore::interaction(
    const std::string& interaction_id) {
  return read<std::optional<InteractionRow>>(
      [this, interaction_id](Side side) { return tables_.on(side).interaction(interaction_id); });
}

Result<std::vector<ThreadSectionRow>> SqliteThreadStore::sections() {
  return read<std::vector<ThreadSectionRow>>(
      [this](Side side) { return tables_.on(side).sections(); });
}

Result<ThreadTabsRow> SqliteThreadStore::tabs(const std::string& thread_id) {
  return read<ThreadTabsRow>(
      [this, thread_id](Side side) { return tables_.on(side).tabs(thread_id); });
}

Result<std::string> SqliteThreadStore::metadata(const std::string& thread_id,
                                                const std::string& plugin_id) {
  return read<std::string>([this, thread_id, plugin_id](Side side) {
    return tables_.on(side).metadata(thread_id, plugin_id);
  });
}

Result<std::size_t> SqliteThreadStore::threadsWithMetadata(const std::string& plugin_id) {
  return read<std::size_t>(
      [this, plugin_id](Side side) { return tables_.on(side).threadsWithMetadata(plugin_id); });
}

Result<std::vector<ThreadMetadataRow>> SqliteThreadStore::allMetadata(
    const std::string& thread_id) {
  return read<std::vector<ThreadMetadataRow>>(
      [this, thread_id](Side side) { return tables_.on(side).allMetadata(thread_id); });
}

Result<std::vector<ThreadEventRow>> SqliteThreadStore::events(const ThreadEventQuery& query) {
  return read<std::vector<ThreadEventRow>>(
      [this, query](Side side) { return events_.on(side).list(query); });
}

Result<std::vector<ThreadEventRow>> SqliteThreadStore::findEvents(
    const std::string& text, const std::vector<std::string>& types, std::size_t limit) {
  return read<std::vector<ThreadEventRow>>(
      [this, text, types, limit](Side side) { return events_.on(side).find(text, types, limit); });
}

Result<bool> SqliteThreadStore::apply(const ThreadChange& change) {
  if (auto checked = checkThreadChange(change); !checked) {
    return checked.error();
  }
  return runBlocking(threads_, Access::kWrite, [this, change](Side side) -> Result<bool> {
    if (change.position && !events_.on(side).advance(*change.position)) {
      return false;
    }
    tables_.on(side).apply(change);
    events_.on(side).apply(change);
    return true;
  });
}

}  // namespace svc::storage
