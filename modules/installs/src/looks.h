#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "work.h"

namespace svc::installs {

/// Looks at sources that somebody waits for. Few at a time, and each for as long as its client stays and its limit lets it: a source that
/// does not answer keeps no thread from installs and from looks at others. Main thread; lives until its looks have.
class Looks : public std::enable_shared_from_this<Looks> {
 public:
  explicit Looks(Work& work) : work_(work) {}

  /// `body` runs on the bulk lane. Errors, beside its own: `timeout`, `overloaded`, `aborted` (the client has gone).
  template <class T, class Body>
  void run(std::stop_token client, Body body, Completion<T> done) {
    if (waiting_.size() >= limits::kLooksWaiting) {
      done(Error{errc::kOverloaded, "too many looks at sources are waiting; try again"});
      return;
    }
    waiting_.push_back([self = shared_from_this(), client = std::move(client),
                        body = std::move(body), done = std::move(done)]() mutable {
      self->begin<T>(std::make_shared<Look>(std::move(client)), std::move(body), std::move(done));
    });
    next();
  }

  /// Those that have not begun end with `aborted`.
  void stop() { waiting_.clear(); }

 private:
  struct Look {
    explicit Look(std::stop_token client) : gone(std::move(client), Stop{&source}) {}
    struct Stop {
      std::stop_source* source;
      void operator()() const { source->request_stop(); }
    };
    std::stop_source source;
    std::stop_callback<Stop> gone;
    Handle timer;
    bool late = false;
  };

  template <class T, class Body>
  void begin(const std::shared_ptr<Look>& look, Body body, Completion<T> done) {
    look->timer = work_.main().after(limits::kLook, [look] {
      look->late = true;
      look->source.request_stop();
    });
    work_.run<T>(
        look->source.get_token(), std::move(body),
        [self = shared_from_this(), look, done = std::move(done)](Result<T> result) mutable {
          look->timer.reset();
          self->running_ -= 1;
          self->next();
          done(!result && look->late ? Result<T>(tooLate()) : std::move(result));
        });
  }

  void next() {
    while (running_ < limits::kLooks && !waiting_.empty()) {
      auto first = std::move(waiting_.front());
      waiting_.pop_front();
      running_ += 1;
      first();
    }
  }

  static Error tooLate() {
    return {errc::kTimeout,
            fmt::format("the source was not read within {} ms (limit look): it answers too slowly; "
                        "try again later",
                        limits::kLook.count())};
  }

  Work& work_;
  std::size_t running_ = 0;
  std::deque<Task> waiting_;
};

}  // namespace svc::installs
