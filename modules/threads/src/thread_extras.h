#pragma once

#include <string>

#include "svc/common/json.h"

#include "thread_book.h"

namespace svc::threads {

/// Sections, the tabs of threads, what plugins keep with them, and finding one. Thread-safe. Everything but list() blocks.
class ThreadExtras {
 public:
  explicit ThreadExtras(ThreadBook& book) : book_(book) {}

  [[nodiscard]] common::Json sections() const;
  [[nodiscard]] Result<common::Json> createSection(const std::string& name);
  /// `{ id, name, updatedThreadCount }`.
  [[nodiscard]] Result<common::Json> renameSection(const std::string& section_id,
                                                   const std::string& name);
  /// As renameSection(); its threads are in none then.
  [[nodiscard]] Result<common::Json> removeSection(const std::string& section_id);

  /// `{ revision, tabs }`.
  [[nodiscard]] Result<common::Json> tabs(const std::string& thread_id) const;
  /// `conflict` when somebody else has changed them.
  [[nodiscard]] Result<common::Json> setTabs(const std::string& thread_id, std::int64_t expected,
                                             const common::Json& tabs);

  [[nodiscard]] Result<common::Json> metadata(const std::string& thread_id,
                                              const std::string& plugin_id) const;
  /// Merges the top-level members; null removes one. `too_large` names the limit.
  [[nodiscard]] Result<common::Json> setMetadata(const std::string& thread_id,
                                                 const std::string& plugin_id,
                                                 const common::Json& members);

  /// `{ active, archived }`, each `{ results, total }`.
  [[nodiscard]] Result<common::Json> search(const std::string& text, std::size_t per_group) const;

 private:
  ThreadBook& book_;
};

}  // namespace svc::threads
