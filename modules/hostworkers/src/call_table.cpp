#include "call_table.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

namespace svc::hostworkers {

Status CallTable::admit(const HostCall& call) const {
  if (calls_.size() >= limits::kHostActive) {
    return Error{errc::kTooManyCalls,
                 fmt::format("the plugin has {} calls on this machine at a time already, the limit "
                             "of the limit host-active",
                             calls_.size())};
  }
  if (bytes_ + call.input.size() > limits::kHostActiveBytes) {
    return Error{errc::kTooManyCalls,
                 fmt::format("the inputs of the plugin's calls on this machine have {} bytes "
                             "together, more than the {} of the limit host-active",
                             bytes_ + call.input.size(), limits::kHostActiveBytes)};
  }
  return {};
}

void CallTable::add(HostCall call, Completion<std::string> done) {
  const auto number = ++last_;
  const auto timeout = call.timeout;
  Entry entry;
  entry.bytes = call.input.size();
  entry.call = std::move(call);
  entry.done = std::move(done);
  entry.timer = main_.after(timeout, [this, number, timeout] {
    giveUp(calls_.find(number),
           {errc::kTimeout, fmt::format("the call did not finish within {} ms", timeout.count())});
  });
  bytes_ += entry.bytes;
  calls_.emplace(number, std::move(entry));
}

std::vector<std::string> CallTable::send(const std::string& generation) {
  std::vector<std::string> messages;
  auto first_left = last_ + 1;
  for (auto at = calls_.lower_bound(first_unsent_); at != calls_.end(); ++at) {
    auto& [number, entry] = *at;
    if (!entry.sent && entry.call.generation == generation) {
      entry.sent = true;
      messages.push_back(callMessage(std::to_string(number), entry.call.method,
                                     std::exchange(entry.call.input, {})));
    } else if (!entry.sent) {
      first_left = std::min(first_left, number);
    }
  }
  first_unsent_ = first_left;
  return messages;
}

const HostCall* CallTable::firstWaiting() const {
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [](const auto& each) { return !each.second.sent; });
  return found == calls_.end() ? nullptr : &found->second.call;
}

void CallTable::settle(const std::string& number, Result<std::string> result) {
  std::uint64_t key = 0;
  std::from_chars(number.data(), number.data() + number.size(), key);
  const auto found = calls_.find(key);
  if (found == calls_.end() || !found->second.sent) {
    return;
  }
  bytes_ -= found->second.bytes;
  auto entry = calls_.extract(found);
  entry.mapped().timer.reset();
  entry.mapped().done(std::move(result));
}

bool CallTable::cancel(const std::string& generation, const std::string& call_id) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const auto& each) {
    const auto& entry = each.second;
    return entry.done.pending() && entry.call.call_id == call_id &&
           entry.call.generation == generation;
  });
  if (found == calls_.end()) {
    return false;
  }
  giveUp(found, {errc::kAborted, "the call was cancelled"});
  return true;
}

void CallTable::cancelAll() {
  for (auto call = calls_.begin(); call != calls_.end();) {
    const auto next = std::next(call);
    if (call->second.done.pending()) {
      giveUp(call, {errc::kAborted, "the server has opened a new session"});
    }
    call = next;
  }
}

void CallTable::failWaiting(const Error& error, const std::optional<std::string>& generation) {
  failIf(
      [&generation](const Entry& entry) {
        return !entry.sent && (!generation || entry.call.generation == *generation);
      },
      error);
}

void CallTable::failSent(const Error& error) {
  failIf([](const Entry& entry) { return entry.sent; }, error);
}

bool CallTable::anySent() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [](const auto& each) { return each.second.sent; });
}

/// Answers at once; what the worker has of it gets a grace.
void CallTable::giveUp(Calls::iterator call, const Error& error) {
  auto done = std::move(call->second.done);
  if (call->second.sent) {
    call->second.timer = main_.after(limits::kCancelGrace, [this] { listener_.stuck(); });
    listener_.cancel(std::to_string(call->first));
  } else {
    bytes_ -= call->second.bytes;
    calls_.erase(call);
  }
  done(error);
}

void CallTable::failIf(const std::function<bool(const Entry&)>& concerned, const Error& error) {
  std::vector<Completion<std::string>> failed;
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (!concerned(call->second)) {
      ++call;
      continue;
    }
    bytes_ -= call->second.bytes;
    failed.push_back(std::move(call->second.done));
    call = calls_.erase(call);
  }
  for (auto& done : failed) {
    done(error);
  }
}

}  // namespace svc::hostworkers
