#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>

#include "svc/base/fd.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/http.h"

#include "connector.h"
#include "http_call.h"

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;

constexpr unsigned kHttp11 = 11;
constexpr std::size_t kPiece = 64UL * 1024;

/// A new file that grows, and disappears again unless it is kept.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path) : path_(std::move(path)), digest_(EVP_MD_CTX_new()) {
    EVP_DigestInit_ex(digest_, EVP_sha256(), nullptr);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    discard();
    EVP_MD_CTX_free(digest_);
  }

  [[nodiscard]] Status create() {
    file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    return file_ ? Status() : failure("create");
  }

  [[nodiscard]] Status append(std::string_view bytes) {
    EVP_DigestUpdate(digest_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return base::writeAll(file_.get(), bytes) ? Status() : failure("write");
  }

  void discard() {
    if (file_) {
      file_.reset();
      ::unlink(path_.c_str());
    }
  }

  [[nodiscard]] Result<Download> keep() {
    if (::close(file_.release()) != 0) {
      auto failed = failure("write");
      ::unlink(path_.c_str());
      return failed;
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(digest_, digest.data(), &length);
    Download download;
    download.bytes = size_;
    for (unsigned at = 0; at < length; ++at) {
      download.sha256 += fmt::format("{:02x}", digest.at(at));
    }
    return download;
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] Error failure(std::string_view what) const {
    return base::systemError(fmt::format("cannot {} {}", what, path_.string()), errno);
  }

  std::filesystem::path path_;
  EVP_MD_CTX* digest_;
  base::Fd file_;
  std::uint64_t size_ = 0;
};

class Transfer final : public std::enable_shared_from_this<Transfer> {
 public:
  Transfer(asio::io_context& context, Request request, std::filesystem::path file,
           std::uint64_t limit, UniqueFunction<void(Result<Download>)> done)
      : context_(context),
        endpoint_(request.endpoint),
        path_(request.path),
        file_(std::move(file)),
        limit_(limit),
        stall_(context),
        done_(std::move(done)) {
    message_.version(kHttp11);
    message_.method(http::verb::get);
    message_.target(endpoint_.server.base_path + path_);
    message_.set(http::field::host, endpoint_.server.authority());
    message_.set(http::field::authorization, "Bearer " + request.bearer);
    message_.set(http::field::connection, "close");
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());  // the pieces are counted
  }

  void start() {
    std::make_shared<Connector>(context_, endpoint_)
        ->start([self = shared_from_this()](Result<NetStream> connected) {
          if (!connected) {
            self->noServer(connected.error());
          } else {
            self->stream_.emplace(std::move(connected).value());
            self->send();
          }
        });
  }

 private:
  void send() {
    watchForStall();
    http::async_write(*stream_, message_,
                      [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                        if (failure) {
                          self->lost(failure);
                        } else {
                          self->receiveHead();
                        }
                      });
  }

  void receiveHead() {
    http::async_read_header(*stream_, buffer_, parser_,
                            [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                              if (failure) {
                                self->lost(failure);
                              } else {
                                self->onHead();
                              }
                            });
  }

  void onHead() {
    if (!done_) {
      return;
    }
    const auto status = parser_.get().result_int();
    if (status != 200) {
      refused(status);
      return;
    }
    const auto announced = parser_.content_length();
    if (announced && *announced > limit_) {
      tooLarge(*announced);
      return;
    }
    if (auto created = file_.create(); !created) {
      finish(std::move(created).error());
      return;
    }
    receive();
  }

  void receive() {
    if (parser_.is_done()) {
      finish(file_.keep());
      return;
    }
    watchForStall();
    parser_.get().body().data = piece_.data();
    parser_.get().body().size = piece_.size();
    http::async_read(*stream_, buffer_, parser_,
                     [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                       if (failure && failure != http::error::need_buffer) {
                         self->lost(failure);
                       } else {
                         self->onPiece();
                       }
                     });
  }

  void onPiece() {
    if (!done_) {
      return;
    }
    const auto size = piece_.size() - parser_.get().body().size;
    if (file_.size() + size > limit_) {
      tooLarge(file_.size() + size);
      return;
    }
    if (auto written = file_.append({piece_.data(), size}); !written) {
      finish(std::move(written).error());
      return;
    }
    receive();
  }

  void watchForStall() {
    stall_.expires_after(limits::kReadStall);
    stall_.async_wait([self = shared_from_this()](const ErrorCode& failure) {
      if (!failure) {
        self->finish(Error{errc::kHostUnavailable,
                           fmt::format("{} sent nothing for {} s", self->endpoint_.server.text(),
                                       limits::kReadStall.count() / 1000)});
      }
    });
  }

  void refused(unsigned status) {
    const auto what =
        fmt::format("{}{} answered with status {}", endpoint_.server.text(), path_, status);
    if (status == 401 || status == 403) {
      finish(Error{errc::kUnauthorized, what});
    } else if (status == 404) {
      finish(Error{errc::kNotFound, what});
    } else {
      finish(Error{errc::kHostUnavailable, what});
    }
  }

  void tooLarge(std::uint64_t size) {
    finish(Error{errc::kTooLarge, fmt::format("{}{} has {} bytes or more; at most {} are taken",
                                              endpoint_.server.text(), path_, size, limit_)});
  }

  void noServer(const Error& error) { finish(Error{errc::kHostUnavailable, error.message}); }

  void lost(const ErrorCode& failure) {
    finish(Error{errc::kHostUnavailable, fmt::format("the connection to {} was lost: {}",
                                                     endpoint_.server.text(), failure.message())});
  }

  void finish(Result<Download> result) {
    if (auto done = std::exchange(done_, nullptr)) {
      stall_.cancel();
      if (stream_) {
        stream_->close();
      }
      file_.discard();  // nothing to do for one that is kept
      done(std::move(result));
    }
  }

  asio::io_context& context_;
  Endpoint endpoint_;
  std::string path_;
  NewFile file_;
  std::uint64_t limit_;
  asio::steady_timer stall_;
  UniqueFunction<void(Result<Download>)> done_;
  std::optional<NetStream> stream_;
  http::request<http::empty_body> message_;
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::buffer_body> parser_;
  std::array<char, kPiece> piece_{};
};

}  // namespace

void downloadFile(asio::io_context& context, Request request, std::filesystem::path file,
                  std::uint64_t limit, UniqueFunction<void(Result<Download>)> done) {
  std::make_shared<Transfer>(context, std::move(request), std::move(file), limit, std::move(done))
      ->start();
}

}  // namespace svc::serverlink
