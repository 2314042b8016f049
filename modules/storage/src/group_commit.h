#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "store_request.h"
#include "transactions.h"

namespace svc::storage {

using Batch = std::vector<std::unique_ptr<StoreRequest>>;

/// Answers every request of the batch. Reads of scopes without an earlier write in the batch are answered at once;
/// the others run in one transaction and are answered, in order, after it is durable. A request that fails takes
/// back only its own changes; a failing transaction fails all of its requests. Returns the outcome of the transaction,
/// if there was one.
std::optional<Status> runBatch(ITransactions& transactions, const Batch& batch);

/// Answers reads, in order and from one snapshot, beside the thread that writes.
void runReads(ITransactions& transactions, const Batch& reads);

}  // namespace svc::storage
