#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/base/fd.h"

#include "wire/http_address.h"

namespace svc::client {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// One connection to a server, kept between exchanges where the server keeps it. One exchange at a time: open(), exchange(), read()
/// to the end. Errors name the server: `unavailable` when nobody accepts the connection, `timeout`, `aborted` when it ends before
/// the answer does or what comes is no HTTP. After an error the next open() connects anew. One thread, but for interrupt().
class HttpConnection {
 public:
  explicit HttpConnection(HttpAddress address);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection();

  /// `patience` bounds the connection and, until the next call, every wait for bytes.
  [[nodiscard]] Status open(std::chrono::milliseconds patience);

  /// Sends a request and waits for the head of the answer: its status. `target` goes behind the path of the address; Host and
  /// Content-Length are added. `invalid_argument` for headers that break their line.
  [[nodiscard]] Result<int> exchange(std::string_view method, std::string_view target,
                                     const HttpHeaders& headers, std::string_view body);
  /// Of the answer; empty when there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
  /// Bytes of the body as they come, valid until the next call; empty at the end.
  [[nodiscard]] Result<std::string_view> read();

  /// Any thread, between the return of open() and the next one: reads end with `aborted`.
  void interrupt() const;

 private:
  struct Answer;

  [[nodiscard]] Status fill();
  [[nodiscard]] Status parse();
  [[nodiscard]] Error lost(std::string_view why) const;
  [[nodiscard]] Error lost(const Error& error) const;

  const HttpAddress address_;
  std::chrono::milliseconds patience_{0};
  base::Fd socket_;
  bool reusable_ = false;
  std::unique_ptr<Answer> answer_;
};

}  // namespace svc::client
