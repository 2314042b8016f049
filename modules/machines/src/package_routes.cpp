#include "package_routes.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/protocol.h"

#include "keys.h"
#include "requests.h"

namespace svc::machines {
namespace {

using common::Json;

constexpr std::size_t kLargestPackageBody = 16UL * 1024;
/// What a daemon may say about itself.
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kPiece = 256UL * 1024;

Result<std::string> hostOf(const http::Request& request, Registry& registry) {
  const std::string key(bearerOf(request.header("authorization")));
  if (key.empty()) {
    return Error{errc::kUnauthorized, "a host key is needed: Authorization: Bearer <host key>"};
  }
  return registry.authenticate(key);
}

struct Question {
  std::string platform;
  std::string failure;  ///< of the last update; empty = none
};

Result<Question> readQuestion(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  body.rejectUnknown({"platform", "failure"});
  Question question{.platform = body.requiredString("platform"),
                    .failure = stringOrNull(body, "failure").value_or("")};
  for (const auto& [key, text] :
       {std::pair{"platform", &question.platform}, std::pair{"failure", &question.failure}}) {
    if (text->size() > kLongestText) {
      body.issue("Longer than 4096 bytes", {Json(key)});
    }
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return question;
}

/// One download: the next piece is read when the one before is on its way.
class Transfer final : public std::enable_shared_from_this<Transfer> {
 public:
  Transfer(http::ExchangePtr exchange, PackedDaemonPtr packed, IWorkerPool& workers)
      : exchange_(std::move(exchange)), packed_(std::move(packed)), workers_(workers) {}

  void start() {
    exchange_->begin({.status = 200,
                      .content_type = "application/gzip",
                      .headers = {{"etag", fmt::format("\"{}\"", packed_->sha256())},
                                  {"cache-control", "private, immutable, max-age=31536000"},
                                  {"x-content-type-options", "nosniff"}}});
    next();
  }

 private:
  void next() {
    if (!workers_.submit([self = shared_from_this()] { self->sendPiece(); })) {
      exchange_->abort();  // the daemon sees that it is not whole, and tries again
    }
  }

  void sendPiece() {
    auto piece = packed_->read(offset_, kPiece);
    if (!piece) {
      exchange_->abort();
      return;
    }
    if (piece.value().empty()) {
      exchange_->finish();
      return;
    }
    offset_ += piece.value().size();
    exchange_->write(std::move(piece).value(), [self = shared_from_this()](const Status& taken) {
      if (taken) {
        self->next();
      }
    });
  }

  http::ExchangePtr exchange_;
  PackedDaemonPtr packed_;
  IWorkerPool& workers_;
  std::uint64_t offset_ = 0;  // one piece at a time touches it
};

}  // namespace

Status PackageRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    void (PackageRoutes::*member)(const http::ExchangePtr& exchange);
  };
  for (const auto& entry :
       {Entry{"POST", "/internal/daemon-package", &PackageRoutes::describe},
        Entry{"GET", "/internal/daemon-package/:sha256", &PackageRoutes::send}}) {
    auto route = server.route({.method = entry.method,
                               .pattern = entry.pattern,
                               .guard = http::Guard::kNone,
                               .body_limit = kLargestPackageBody},
                              [this, member = entry.member](const http::ExchangePtr& exchange) {
                                (this->*member)(exchange);
                              });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void PackageRoutes::describe(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  if (const auto checked = checkMediaType(request); !checked) {
    return exchange->fail(checked.error());
  }
  const auto host = hostOf(request, registry_);
  if (!host) {
    return exchange->fail(host.error());
  }
  const auto question = readQuestion(request);
  if (!question) {
    return exchange->fail(question.error());
  }
  const auto retry_requested = registry_.reportUpdate(host.value(), question.value().failure);
  if (const auto available = package_.availableFor(question.value().platform); !available) {
    return exchange->fail(available.error());
  }
  package_.get([exchange, retry_requested, platform = question.value().platform,
                version = version_](const Result<PackedDaemonPtr>& packed) {
    if (!packed) {
      return exchange->fail(packed.error());
    }
    respond(*exchange, 200,
            Json::object()
                .set("version", version)
                .set("protocolVersion", hostprotocol::kProtocolVersion)
                .set("platform", platform)
                .set("byteLength", packed.value()->size())
                .set("sha256", packed.value()->sha256())
                .set("retryRequestedAt", retry_requested == 0 ? Json() : Json(retry_requested)));
  });
}

void PackageRoutes::send(const http::ExchangePtr& exchange) {
  if (const auto host = hostOf(exchange->request(), registry_); !host) {
    return exchange->fail(host.error());
  }
  package_.get([exchange, &workers = workers_](const Result<PackedDaemonPtr>& packed) {
    if (!packed) {
      return exchange->fail(packed.error());
    }
    if (exchange->request().parameter("sha256") != packed.value()->sha256()) {
      return exchange->fail({errc::kNotFound,
                             "the server has another package of svc-hostd by now: ask for its "
                             "description again"});
    }
    std::make_shared<Transfer>(exchange, packed.value(), workers)->start();
  });
}

}  // namespace svc::machines
