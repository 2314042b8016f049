#include "rows.h"

#include <utility>

#include "svc/common/codes.h"

namespace svc::environments {

using storage::EnvironmentRow;

Status Rows::open() {
  auto stored = store_.environments();
  if (!stored) {
    return std::move(stored).error();
  }
  const std::scoped_lock lock(mutex_);
  for (auto& row : stored.value()) {
    auto id = row.id;
    rows_.insert_or_assign(std::move(id), std::move(row));
  }
  return {};
}

std::optional<EnvironmentRow> Rows::find(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = rows_.find(id);
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<EnvironmentRow> Rows::list() const {
  const std::scoped_lock lock(mutex_);
  std::vector<EnvironmentRow> out;
  for (const auto& [id, row] : rows_) {
    out.push_back(row);
  }
  return out;
}

void Rows::put(EnvironmentRow row, Completion<void> stored) {
  {
    const std::scoped_lock lock(mutex_);
    dirty_.insert(row.id);
    auto id = row.id;
    rows_.insert_or_assign(std::move(id), std::move(row));
    if (stored.pending()) {
      waiting_.push_back(std::move(stored));
    }
    if (std::exchange(writing_, true)) {
      return;
    }
  }
  write();
}

void Rows::write() {
  storage::EnvironmentChange change;
  auto waiting = std::make_shared<std::vector<Completion<void>>>();
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& id : std::exchange(dirty_, {})) {
      change.environments.push_back(rows_.at(id));
    }
    waiting->swap(waiting_);
  }
  const auto told = [self = shared_from_this(), waiting, change](const Status& status) {
    if (!status) {
      const std::scoped_lock lock(self->mutex_);
      for (const auto& row : change.environments) {
        self->dirty_.insert(row.id);
      }
    }
    self->io_.post([self, status, waiting] { self->written(status, std::move(*waiting)); });
  };
  if (!workers_.submit([self = shared_from_this(), change, told] {
        told(guarded([&] { return self->store_.apply(change); }));
      })) {
    told(Error{errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

void Rows::written(const Status& status, std::vector<Completion<void>> waiting) {
  bool more = false;
  {
    const std::scoped_lock lock(mutex_);
    // After a failure the next change tries again, so that a broken disk is no loop.
    more = status.ok() && !dirty_.empty();
    writing_ = more;
  }
  for (auto& each : waiting) {
    each(status);
  }
  if (more) {
    write();
  }
}

}  // namespace svc::environments
