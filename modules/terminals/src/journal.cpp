#include "journal.h"

#include <utility>

namespace svc::terminals {

void Journal::put(const storage::TerminalRow& row) { change(row.id, row); }

void Journal::remove(const std::string& id) { change(id, std::nullopt); }

void Journal::change(const std::string& id, std::optional<storage::TerminalRow> row) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_[id] = std::move(row);
    if (std::exchange(writing_, true)) {
      return;
    }
  }
  begin();
}

void Journal::begin() {
  if (!workers_.submit([self = shared_from_this()](const auto&) { self->writeAll(); })) {
    // Tried again with the next change.
    const std::scoped_lock lock(mutex_);
    writing_ = false;
  }
}

void Journal::writeAll() {
  for (;;) {
    storage::TerminalChange change;
    Completion<void> flushed;
    {
      const std::scoped_lock lock(mutex_);
      for (auto& [id, row] : std::exchange(waiting_, {})) {
        if (row) {
          change.terminals.push_back(*std::move(row));
        } else {
          change.gone.push_back(id);
        }
      }
      if (change.terminals.empty() && change.gone.empty()) {
        writing_ = false;
        flushed = std::move(flushed_);
      }
    }
    if (change.terminals.empty() && change.gone.empty()) {
      flushed({});
      return;
    }
    if (const auto written = store_.apply(change); !written) {
      log_->warn("records of terminals are not stored: {}", written.error().message);
    }
  }
}

void Journal::flush(Completion<void> done) {
  {
    const std::scoped_lock lock(mutex_);
    flushed_ = std::move(done);
    if (std::exchange(writing_, true)) {
      return;
    }
  }
  if (!workers_.submit([self = shared_from_this()](const auto&) { self->writeAll(); })) {
    writeAll();
  }
}

}  // namespace svc::terminals
