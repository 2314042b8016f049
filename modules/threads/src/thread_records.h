#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"

#include "thread_book.h"

namespace svc::threads {

/// Which threads a list has; absent members take all.
struct ThreadFilter {
  std::optional<std::string> project_id{};
  std::optional<bool> archived{};
  std::optional<bool> has_parent{};
  std::optional<std::string> parent_thread_id{};
  std::optional<std::string> source_thread_id{};
  std::optional<std::string> origin_kind{};
  std::optional<std::string> origin_plugin_id{};
  std::optional<std::string> section_id{};
  bool unsectioned = false;
  bool include_hidden = false;
  std::size_t limit = 0;
  std::size_t offset = 0;
};

/// A member that is absent stays as it is; an empty text clears.
struct ThreadPatch {
  std::optional<std::string> title{};
  std::optional<std::string> section_id{};
  std::optional<std::string> parent_thread_id{};
  std::optional<bool> hidden{};
  std::optional<std::string> model{};
  std::optional<std::string> reasoning_level{};
};

/// What people do with threads beside talking in them. Thread-safe. Changes block; they are never made on the io thread.
class ThreadRecords {
 public:
  explicit ThreadRecords(ThreadBook& book) : book_(book) {}

  [[nodiscard]] Result<common::Json> get(const std::string& thread_id) const;
  /// Newest activity first.
  [[nodiscard]] common::Json list(const ThreadFilter& filter) const;
  [[nodiscard]] Result<std::size_t> childCount(const std::string& thread_id) const;
  /// `{ threadId, projectId, label }` of those that are known.
  [[nodiscard]] common::Json mentions(const std::vector<std::string>& thread_ids) const;

  [[nodiscard]] Result<common::Json> update(const std::string& thread_id, const ThreadPatch& patch);
  /// They and their descendants that are not archived, parents first; ids. Whoever runs turns stops those that are busy before.
  [[nodiscard]] Result<std::vector<std::string>> archive(
      const std::vector<std::string>& thread_ids);
  [[nodiscard]] Result<common::Json> unarchive(const std::string& thread_id);
  /// Hidden at once, descendants too; ids, parents first. purge() removes their data.
  [[nodiscard]] Result<std::vector<std::string>> remove(const std::string& thread_id,
                                                        bool with_children);
  /// Removes the data of all threads that are deleted; what is elsewhere goes in `before`, which gets each id.
  [[nodiscard]] Status purge(const std::function<void(const std::string& thread_id)>& before);
  [[nodiscard]] Result<common::Json> pin(const std::string& thread_id, bool pinned);
  /// The pinned ones in their order.
  [[nodiscard]] Result<common::Json> reorderPinned(const std::string& thread_id,
                                                   const std::optional<std::string>& previous,
                                                   const std::optional<std::string>& next);
  [[nodiscard]] Result<common::Json> mark(const std::string& thread_id, bool read);

  /// Those it would take along, itself first. Deleted ones are left out.
  [[nodiscard]] std::vector<storage::ThreadRow> family(const std::string& thread_id) const;
  /// Those that work there and are not archived; ids.
  [[nodiscard]] std::vector<std::string> inEnvironment(const std::string& environment_id) const;
  /// The title of the thread that works there, when it is the only one; else empty.
  [[nodiscard]] std::string titleOfWork(const std::string& environment_id) const;
  /// A thread whose turn runs there; empty = none.
  [[nodiscard]] std::string atWorkIn(const std::string& environment_id) const;
  [[nodiscard]] bool hasAttention() const;

 private:
  [[nodiscard]] std::vector<storage::ThreadRow> pinned() const;
  [[nodiscard]] Status checkParent(const std::string& thread_id, const std::string& parent) const;

  ThreadBook& book_;
};

}  // namespace svc::threads
