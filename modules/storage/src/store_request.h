#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "svc/kernel/completion.h"

#include "sqlite_failure.h"

namespace svc::storage {

enum class Access : std::uint8_t { kRead, kWrite };

/// The connection, and with it the thread, that a request runs on.
enum class Side : std::uint8_t { kWriter, kReader };

/// One queued request. Requests of one scope keep their order. Executed at most once, answered exactly once.
class StoreRequest {
 public:
  StoreRequest(Access access, std::string scope, std::size_t bytes)
      : access_(access), scope_(std::move(scope)), bytes_(bytes) {}
  StoreRequest(const StoreRequest&) = delete;
  StoreRequest& operator=(const StoreRequest&) = delete;
  virtual ~StoreRequest() = default;

  /// Does the work and keeps its answer; the status says whether it succeeded. A write runs on the writer's side only.
  [[nodiscard]] virtual Status execute(Side side) = 0;
  /// Gives the kept answer.
  virtual void answer() = 0;
  /// Answers with `error`, or with the request's own failure when it had one.
  virtual void fail(const Error& error) = 0;

  [[nodiscard]] Access access() const { return access_; }
  [[nodiscard]] const std::string& scope() const { return scope_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  Access access_;
  std::string scope_;
  std::size_t bytes_;
};

template <class T, class Body>
class TypedRequest final : public StoreRequest {
 public:
  TypedRequest(Access access, std::string scope, std::size_t bytes, Body body, Completion<T> done)
      : StoreRequest(access, std::move(scope), bytes),
        body_(std::move(body)),
        done_(std::move(done)) {}

  [[nodiscard]] Status execute(Side side) override {
    result_.emplace(noThrow([&] { return body_(side); }));
    return result_->ok() ? Status{} : Status{result_->error()};
  }
  void answer() override { done_(std::move(*result_)); }
  void fail(const Error& error) override {
    if (result_ && !result_->ok()) {
      answer();
    } else {
      done_(error);
    }
  }

 private:
  Body body_;
  Completion<T> done_;
  std::optional<Result<T>> result_;
};

/// `body` takes the Side it runs on, returns Result<T> and may throw SqliteFailure.
template <class T, class Body>
std::unique_ptr<StoreRequest> makeRequest(Access access, std::string scope, std::size_t bytes,
                                          Body body, Completion<T> done) {
  return std::make_unique<TypedRequest<T, Body>>(access, std::move(scope), bytes, std::move(body),
                                                 std::move(done));
}

}  // namespace svc::storage
