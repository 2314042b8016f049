#pragma once

#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"

#include "thread_book.h"

namespace svc::threads {

/// What people do with the messages that wait. Thread-safe. Changes block; they are never made on the io thread.
class MessageQueue {
 public:
  explicit MessageQueue(ThreadBook& book) : book_(book) {}

  [[nodiscard]] Result<common::Json> list(const std::string& thread_id) const;
  [[nodiscard]] Result<common::Json> get(const std::string& thread_id,
                                         const std::string& row_id) const;
  /// `conflict` when somebody else has changed it, or it is no message that was written.
  [[nodiscard]] Result<common::Json> update(const std::string& thread_id, const std::string& row_id,
                                            const common::Json& input,
                                            std::int64_t expected_updated_at);
  [[nodiscard]] Status remove(const std::string& thread_id, const std::string& row_id);
  /// With a boundary the head up to that row (empty: none) is one group then.
  [[nodiscard]] Result<common::Json> reorder(const std::string& thread_id,
                                             const std::string& row_id,
                                             const std::optional<std::string>& previous,
                                             const std::optional<std::string>& next,
                                             const std::optional<std::string>& boundary = {});
  /// The head up to that row (empty: none) is one group; `conflict` when the rows before it are others than expected.
  [[nodiscard]] Result<common::Json> setGroupBoundary(const std::string& thread_id,
                                                      const std::string& row_id,
                                                      const std::vector<std::string>& expected);

 private:
  ThreadBook& book_;
};

}  // namespace svc::threads
