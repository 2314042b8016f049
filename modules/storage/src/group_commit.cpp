#include "group_commit.h"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace svc::storage {
namespace {

using Requests = std::vector<StoreRequest*>;

struct Split {
  /// Reads that no earlier request of the batch could change.
  Requests independent;
  Requests rest;
};

Split split(const Batch& batch) {
  std::unordered_set<std::string_view> written;
  Split parts;
  for (const auto& request : batch) {
    if (request->access() == Access::kRead && !written.contains(request->scope())) {
      parts.independent.push_back(request.get());
      continue;
    }
    if (request->access() == Access::kWrite) {
      written.insert(request->scope());
    }
    parts.rest.push_back(request.get());
  }
  return parts;
}

void answerRead(StoreRequest& read, Side side) {
  static_cast<void>(read.execute(side));
  read.answer();
}

// A failure here is one of the whole transaction; the request keeps its own failure.
Status runOne(ITransactions& transactions, StoreRequest& request) {
  if (request.access() == Access::kRead) {
    auto read = request.execute(Side::kWriter);
    return read || transactions.active() ? Status{} : read;
  }
  if (auto opened = transactions.openSavepoint(); !opened) {
    return opened;
  }
  auto written = request.execute(Side::kWriter);
  if (written) {
    return transactions.keepSavepoint();
  }
  // Some failures, a full disk among them, end the whole transaction.
  return transactions.active() ? transactions.undoSavepoint() : written;
}

Status runTransaction(ITransactions& transactions, const Requests& requests) {
  auto status = transactions.begin();
  for (auto* request : requests) {
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

void runReads(ITransactions& transactions, const Batch& reads) {
  transactions.openSnapshot();
  for (const auto& read : reads) {
    answerRead(*read, Side::kReader);
  }
  transactions.closeSnapshot();
}

std::optional<Status> runBatch(ITransactions& transactions, const Batch& batch) {
  const auto [reads, rest] = split(batch);
  // Without a snapshot: the only thread that writes is this one.
  for (auto* read : reads) {
    answerRead(*read, Side::kWriter);
  }
  if (rest.empty()) {
    return std::nullopt;
  }
  auto status = runTransaction(transactions, rest);
  for (auto* request : rest) {
    if (status) {
      request->answer();
    } else {
      request->fail(status.error());
    }
  }
  return status;
}

}  // namespace svc::storage
