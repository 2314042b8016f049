#pragma once

#include <cstddef>

#include "svc/kernel/result.h"

namespace svc::storage {

/// The transaction control that group commit needs from a database. Used by one thread at a time, except interrupt().
class ITransactions {
 public:
  virtual ~ITransactions() = default;
  [[nodiscard]] virtual Status begin() = 0;
  /// Success means durable. After a failure nothing of the transaction is kept.
  [[nodiscard]] virtual Status commit() = 0;
  /// Ends the open transaction, if there is one.
  virtual void rollback() = 0;
  /// False when a failure ended the whole transaction.
  [[nodiscard]] virtual bool active() const = 0;
  /// One snapshot for several reads, which saves each the cost of its own. Does nothing when it cannot.
  virtual void openSnapshot() = 0;
  virtual void closeSnapshot() = 0;
  /// A savepoint inside the transaction; there is at most one at a time.
  [[nodiscard]] virtual Status openSavepoint() = 0;
  [[nodiscard]] virtual Status keepSavepoint() = 0;
  [[nodiscard]] virtual Status undoSavepoint() = 0;
  /// A transaction that changes nothing and is written all the same: whether the disk takes writes (again).
  [[nodiscard]] virtual Status tryWrite() = 0;
  /// The length of the write-ahead log in pages, as of the last commit.
  [[nodiscard]] virtual std::size_t logPages() const = 0;
  /// Copies the whole log into the file, so that the next commit starts it anew. For when nobody reads.
  virtual void foldLog() = 0;
  /// Makes what runs now fail with `aborted` soon. Thread-safe.
  virtual void interrupt() = 0;
};

}  // namespace svc::storage
