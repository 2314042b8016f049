#include "pending_requests.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/kernel/thread_role.h"

namespace svc::hosts {

std::uint64_t PendingRequests::add(std::uint64_t session, std::string type, std::size_t bytes,
                                   std::chrono::milliseconds wait, Answered done) {
  const auto id = ++last_;
  const auto due = clock_.steadyNow() + wait;
  requests_.emplace(id, Request{session, std::move(type), bytes, wait, due, std::move(done)});
  session_bytes_[session] += bytes;
  due_.emplace(due, id);
  arm();
  return id;
}

std::optional<std::string> PendingRequests::type(std::uint64_t request) const {
  const auto found = requests_.find(request);
  return found == requests_.end() ? std::nullopt : std::optional(found->second.type);
}

std::optional<PendingRequests::Request> PendingRequests::take(std::uint64_t request) {
  auto node = requests_.extract(request);
  if (node.empty()) {
    return std::nullopt;
  }
  auto& taken = node.mapped();
  due_.erase({taken.due, request});
  if (const auto total = session_bytes_.find(taken.session); total != session_bytes_.end()) {
    total->second -= taken.bytes;
  }
  return std::move(taken);
}

void PendingRequests::answer(std::uint64_t session, std::uint64_t request,
                             Result<std::string_view> result) {
  const auto found = requests_.find(request);
  if (found == requests_.end() || found->second.session != session) {
    return;
  }
  auto taken = take(request);
  taken->done(std::move(result));
}

bool PendingRequests::forget(std::uint64_t request) { return take(request).has_value(); }

void PendingRequests::fail(std::uint64_t session, const Error& error) {
  std::vector<std::uint64_t> lost;
  for (const auto& [id, request] : requests_) {
    if (request.session == session) {
      lost.push_back(id);
    }
  }
  for (const auto id : lost) {
    if (auto taken = take(id)) {
      taken->done(error);
    }
  }
  session_bytes_.erase(session);
}

std::size_t PendingRequests::bytes(std::uint64_t session) const {
  const auto found = session_bytes_.find(session);
  return found == session_bytes_.end() ? 0 : found->second;
}

void PendingRequests::arm() {
  if (due_.empty() || (armed_for_ && *armed_for_ <= due_.begin()->first)) {
    return;
  }
  armed_for_ = due_.begin()->first;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*armed_for_ - clock_.steadyNow());
  timer_ = reactor_.after(left, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->sweep();
    }
  });
}

void PendingRequests::sweep() {
  armed_for_.reset();
  while (!due_.empty() && due_.begin()->first <= clock_.steadyNow()) {
    if (auto taken = take(due_.begin()->second)) {
      taken->done(Error{errc::kTimeout, fmt::format("the machine did not answer within {} ms",
                                                    taken->wait.count())});
    }
  }
  arm();
}

}  // namespace svc::hosts
