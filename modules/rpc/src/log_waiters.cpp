#include "log_waiters.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "responses.h"

namespace svc::rpc {
namespace {

void answer(const LogRequest& request, Result<plugins::LogPage> page) {
  if (!page) {
    failFor(*request.exchange, request.plugin_id, std::move(page).error());
    return;
  }
  auto lines = common::Json::array();
  if (request.lines_wanted) {
    for (auto& line : page.value().lines) {
      lines.push(std::move(line));
    }
  }
  respondOk(
      *request.exchange,
      common::Json::object().set("lines", std::move(lines)).set("cursor", page.value().cursor));
}

}  // namespace

void LogWaiters::start(LogRequest request) {
  if (request.wait.count() > 0 && waiters_.size() >= limit_) {
    waiters_.remove_if([](const WaiterPtr& waiter) {
      return waiter->request.exchange->disconnected().stop_requested();
    });
    waiting_ = waiters_.size();
    if (waiters_.size() >= limit_) {
      request.exchange->fail(Error{
          errc::kOverloaded,
          fmt::format("{} log requests wait already, the limit is {}; try again without \"wait\"",
                      waiters_.size(), limit_)});
      return;
    }
  }
  auto waiter = std::make_shared<Waiter>(Waiter{.request = std::move(request)});
  if (waiter->request.wait.count() > 0) {
    waiters_.push_back(waiter);
    waiting_ = waiters_.size();
    waiter->deadline = reactor_.after(waiter->request.wait,
                                      [weak = weak_from_this(), held = std::weak_ptr(waiter)] {
                                        const auto self = weak.lock();
                                        const auto due = held.lock();
                                        if (self && due) {
                                          self->expire(due);
                                        }
                                      });
  } else {
    waiter->expired = true;
  }
  read(waiter);
}

void LogWaiters::lineWritten(const std::string& plugin_id) {
  if (waiting_.load(std::memory_order_acquire) == 0) {
    return;
  }
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    first = written_.empty();
    written_.insert(plugin_id);
  }
  if (first) {
    reactor_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->wake();
      }
    });
  }
}

void LogWaiters::wake() {
  std::set<std::string> written;
  {
    const std::scoped_lock lock(mutex_);
    written.swap(written_);
  }
  const auto snapshot = waiters_;
  for (const auto& waiter : snapshot) {
    if (!written.contains(waiter->request.plugin_id)) {
      continue;
    }
    waiter->changed = true;
    if (!waiter->reading) {
      read(waiter);
    }
  }
}

void LogWaiters::read(const WaiterPtr& waiter) {
  waiter->reading = true;
  waiter->changed = false;
  logs_.read(waiter->request.plugin_id, waiter->request.query,
             [weak = weak_from_this(), reactor = &reactor_, waiter](Result<plugins::LogPage> page) {
               auto held = std::make_shared<Result<plugins::LogPage>>(std::move(page));
               reactor->post([weak, waiter, held] {
                 if (const auto self = weak.lock()) {
                   self->readDone(waiter, std::move(*held));
                 }
               });
             });
}

void LogWaiters::readDone(const WaiterPtr& waiter, Result<plugins::LogPage> page) {
  waiter->reading = false;
  const bool quiet = page && page.value().lines.empty();
  if (!quiet || waiter->expired) {
    finish(waiter);
    answer(waiter->request, std::move(page));
  } else if (waiter->changed) {
    read(waiter);
  }
}

void LogWaiters::expire(const WaiterPtr& waiter) {
  waiter->expired = true;
  if (!waiter->reading) {
    read(waiter);
  }
}

void LogWaiters::finish(const WaiterPtr& waiter) {
  waiter->deadline.reset();
  waiters_.remove(waiter);
  waiting_ = waiters_.size();
}

}  // namespace svc::rpc
