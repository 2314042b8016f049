#include "group_commit.h"

#include <string_view>
#include <unordered_set>

namespace svc::storage {
namespace {

struct Split {
  /// Reads that no earlier request of the batch could change.
  Batch independent;
  Batch rest;
};

Split split(Batch batch) {
  std::unordered_set<std::string_view> written;
  Split parts;
  for (auto& request : batch) {
    if (request->access() == Access::kRead && !written.contains(request->scope())) {
      parts.independent.push_back(std::move(request));
      continue;
    }
    if (request->access() == Access::kWrite) {
      written.insert(request->scope());
    }
    parts.rest.push_back(std::move(request));
  }
  return parts;
}

void answerReads(ITransactions& transactions, const Batch& reads) {
  const bool several = reads.size() > 1;
  if (several) {
    transactions.openSnapshot();
  }
  for (const auto& request : reads) {
    static_cast<void>(request->execute());
    request->answer();
  }
  if (several) {
    transactions.closeSnapshot();
  }
}

// A failure here is one of the whole transaction; the request keeps its own failure.
Status runOne(ITransactions& transactions, StoreRequest& request) {
  if (request.access() == Access::kRead) {
    auto read = request.execute();
    return read || transactions.active() ? Status{} : read;
  }
  if (auto opened = transactions.openSavepoint(); !opened) {
    return opened;
  }
  auto written = request.execute();
  if (written) {
    return transactions.keepSavepoint();
  }
  // Some failures, a full disk among them, end the whole transaction.
  return transactions.active() ? transactions.undoSavepoint() : written;
}

Status runTransaction(ITransactions& transactions, const Batch& batch) {
  auto status = transactions.begin();
  for (const auto& request : batch) {
    if (!status) {
      break;
    }
    status = runOne(transactions, *request);
  }
  if (status) {
    status = transactions.commit();
  }
  if (!status) {
    transactions.rollback();
  }
  return status;
}

}  // namespace

std::optional<Status> runBatch(ITransactions& transactions, Batch batch) {
  const auto [reads, rest] = split(std::move(batch));
  answerReads(transactions, reads);
  if (rest.empty()) {
    return std::nullopt;
  }
  auto status = runTransaction(transactions, rest);
  for (const auto& request : rest) {
    if (status) {
      request->answer();
    } else {
      request->fail(status.error());
    }
  }
  return status;
}

}  // namespace svc::storage
