#include "previews.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/common/media_type.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"

#include "byte_range.h"
#include "machine.h"

namespace svc::files {
namespace {

using common::BodyReader;
using common::Json;

constexpr std::size_t kIdBytes = 24;
constexpr std::string_view kPath = "/api/v1/files/previews/";

Error gone() {
  return {errc::kNotFound, "there is no such file in this preview, or its time is over"};
}

/// Pages of users run as nobody: not with the origin of the window. A viewer for PDF does not start in a sandbox, and a PDF has no origin.
void protect(http::Response& head) {
  head.headers.push_back({"x-content-type-options", "nosniff"});
  head.headers.push_back({"cache-control", "no-store"});
  head.headers.push_back({"referrer-policy", "no-referrer"});
  if (head.content_type != "application/pdf") {
    head.headers.push_back({"content-security-policy", "sandbox allow-scripts allow-forms"});
  }
}

}  // namespace

/// One file on its way to a client.
struct Previews::Download {
  http::ExchangePtr exchange;
  Preview preview;
  std::string path;
  ByteRange left;
  std::uint64_t size = 0;
  std::int64_t modified_at = 0;
  /// Not begun while it is there.
  std::optional<http::Response> head;
};

Status Previews::attach(http::IHttpServer& server) {
  struct Entry {
    http::Route route;
    http::Handler handler;
  };
  std::array<Entry, 3> entries{{
      {{.method = "POST", .pattern = "/api/v1/files/create-preview"},
       [this](const http::ExchangePtr& exchange) { create(exchange); }},
      // Its pages have no origin, so what they load comes from another site to every guard but this one.
      {{.method = "GET",
        .pattern = fmt::format("{}:preview/*", kPath),
        .guard = http::Guard::kHost},
       [this](const http::ExchangePtr& exchange) { serve(exchange); }},
      {{.method = "DELETE", .pattern = fmt::format("{}:preview", kPath)},
       [this](const http::ExchangePtr& exchange) { end(exchange); }},
  }};
  for (auto& [route, handler] : entries) {
    auto added = server.route(std::move(route), std::move(handler));
    if (!added) {
      return std::move(added).error();
    }
    routes_.push_back(std::move(added).value());
  }
  return {};
}

void Previews::create(const http::ExchangePtr& exchange) {
  auto parsed_body = BodyReader::parse(exchange->request().body);
  if (!parsed_body) {
    exchange->fail(parsed_body.error());
    return;
  }
  auto& reader = parsed_body.value();
  const auto root = reader.requiredString("rootPath");
  const auto host_id = reader.optionalString("hostId").value_or(std::string{});
  std::int64_t ttl = limits::kPreviewTtl.count();
  if (const auto* given = reader.body().find("ttlMs")) {
    ttl = given->asInteger();
    if (!given->isInteger() || ttl < 1 || ttl > limits::kPreviewTtlMax.count()) {
      reader.issue(fmt::format("Expected milliseconds from 1 to {} (limit previewTtl), not {}",
                               limits::kPreviewTtlMax.count(), given->dump()),
                   {Json("ttlMs")});
    }
  }
  if (auto status = reader.finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  const auto host = machineFor(with_.registry, host_id);
  if (!host) {
    exchange->fail(host.error());
    return;
  }
  Preview preview{.host_id = host.value().id, .is_server = host.value().is_server, .root = {}};
  with_.commands.send(
      preview.host_id,
      Json::object().set("type", hostprotocol::command::kFileMetadata).set("path", root).dump(),
      limits::kFileCommand,
      [self = shared_from_this(), exchange, preview, ttl](Result<std::string> result) mutable {
        if (!result) {
          exchange->fail(fileFailure(std::move(result).error()));
          return;
        }
        const auto answer = hosts::answerObject(result.value());
        if (!answer) {
          exchange->fail(answer.error());
          return;
        }
        const auto& found = answer.value();
        if (found["kind"].asString() != "directory") {
          exchange->fail(Error{errc::kInvalidInput, fmt::format("rootPath: {} is not a directory",
                                                                found["path"].asString())});
          return;
        }
        preview.root = found["path"].asString();
        self->created(exchange, std::move(preview), ttl);
      });
}

void Previews::created(const http::ExchangePtr& exchange, Preview preview, std::int64_t ttl) {
  const auto now = with_.clock.nowMs();
  std::erase_if(previews_, [now](const auto& each) { return each.second.expires_at <= now; });
  if (previews_.size() >= limits::kPreviews) {
    exchange->fail({errc::kOverloaded,
                    fmt::format("there are {} previews (limit previews: {}); ask again when some "
                                "are over",
                                previews_.size(), limits::kPreviews)});
    return;
  }
  preview.expires_at = now + ttl;
  const auto id = base::randomHex(kIdBytes);
  http::Response response;
  response.body =
      Json::object()
          .set("ok", true)
          .set("baseUrl", fmt::format("{}{}{}", exchange->request().base_path, kPath, id))
          .set("expiresAtMs", preview.expires_at)
          .dump();
  previews_[id] = std::move(preview);
  exchange->respond(std::move(response));
}

void Previews::end(const http::ExchangePtr& exchange) {
  const auto found = previews_.find(std::string(exchange->request().parameter("preview")));
  if (found == previews_.end() || found->second.expires_at <= with_.clock.nowMs()) {
    exchange->fail({errc::kNotFound, "there is no such preview, or its time is over"});
    return;
  }
  previews_.erase(found);
  http::Response response;
  response.body = R"({"ok":true})";
  exchange->respond(std::move(response));
}

void Previews::serve(const http::ExchangePtr& exchange) {
  const auto found = previews_.find(std::string(exchange->request().parameter("preview")));
  if (found == previews_.end() || found->second.expires_at <= with_.clock.nowMs()) {
    exchange->fail(gone());
    return;
  }
  auto download = std::make_shared<Download>();
  download->exchange = exchange;
  download->preview = found->second;
  // Relative, whatever it begins with.
  download->path = fmt::format("./{}", exchange->request().parameter("*"));
  with_.commands.send(
      found->second.host_id,
      Json::object()
          .set("type", hostprotocol::command::kFileMetadata)
          .set("path", download->path)
          .set("rootPath", download->preview.root)
          .dump(),
      limits::kFileCommand, [self = shared_from_this(), download](Result<std::string> result) {
        if (result) {
          self->describe(download, result.value());
          return;
        }
        const auto& code = result.error().code;
        const bool missing =
            code == errc::kNotFound || code == errc::kForbidden || code == errc::kInvalidInput;
        download->exchange->fail(missing ? gone() : fileFailure(std::move(result).error()));
      });
}

void Previews::describe(const std::shared_ptr<Download>& download, const std::string& metadata) {
  const auto& exchange = download->exchange;
  const auto answer = hosts::answerObject(metadata);
  if (!answer) {
    exchange->fail(answer.error());
    return;
  }
  const auto& file = answer.value();
  if (file["kind"].asString() != "file") {
    exchange->fail(gone());
    return;
  }
  download->size =
      static_cast<std::uint64_t>(std::max<std::int64_t>(file["sizeBytes"].asInteger(), 0));
  download->modified_at = file["modifiedAtMs"].asInteger();
  if (!download->preview.is_server && download->size > limits::kFileWrite) {
    exchange->fail({errc::kTooLarge,
                    fmt::format("the file has {} bytes, and from another machine come at most {} "
                                "(limit fileWrite)",
                                download->size, limits::kFileWrite)});
    return;
  }
  const auto* header = exchange->request().header("range");
  const auto asked = readRange(header == nullptr ? std::string_view{} : *header, download->size);
  http::Response head;
  head.content_type = common::contentTypeOf(file["mimeType"].asString());
  head.headers.push_back({"accept-ranges", "bytes"});
  protect(head);
  if (asked.kind == RangeKind::kUnsatisfiable) {
    head.status = 416;
    head.headers.push_back({"content-range", fmt::format("bytes */{}", download->size)});
    exchange->respond(std::move(head));
    return;
  }
  download->left = asked.range;
  if (asked.kind == RangeKind::kPart) {
    head.status = 206;
    head.headers.push_back(
        {"content-range", fmt::format("bytes {}-{}/{}", asked.range.first,
                                      asked.range.first + asked.range.length - 1, download->size)});
  }
  download->head = std::move(head);
  if (download->left.length == 0) {
    exchange->respond(std::move(*download->head));
    return;
  }
  next(download);
}

void Previews::next(const std::shared_ptr<Download>& download) {
  const auto length = std::min<std::uint64_t>(download->left.length, hostprotocol::kFileRange);
  with_.commands.send(download->preview.host_id,
                      Json::object()
                          .set("type", hostprotocol::command::kFileRange)
                          .set("path", download->path)
                          .set("rootPath", download->preview.root)
                          .set("offset", download->left.first)
                          .set("length", length)
                          .dump(),
                      limits::kFileCommand,
                      [self = shared_from_this(), download](Result<std::string> result) {
                        if (result) {
                          self->arrived(download, result.value());
                        } else if (download->head) {
                          download->exchange->fail(fileFailure(std::move(result).error()));
                        } else {
                          download->exchange->abort();
                        }
                      });
}

void Previews::arrived(const std::shared_ptr<Download>& download, const std::string& answer) {
  const auto& exchange = download->exchange;
  const auto told = hosts::answerObject(answer);
  const auto piece = told ? told.value() : Json();
  auto bytes = hostprotocol::decodeBase64(piece["dataBase64"].asString());
  const auto length = std::min<std::uint64_t>(download->left.length, hostprotocol::kFileRange);
  // Another file by now: what has been sent does not go with this.
  if (!bytes || bytes->size() != length ||
      piece["modifiedAtMs"].asInteger() != download->modified_at) {
    if (download->head) {
      exchange->fail({errc::kConflict, "the file was changed while it was read; ask again"});
    } else {
      exchange->abort();
    }
    return;
  }
  download->left.first += length;
  download->left.length -= length;
  const bool first = download->head.has_value();
  if (first && download->left.length == 0) {
    download->head->body = *std::move(bytes);
    exchange->respond(std::move(*download->head));
    return;
  }
  if (first) {
    exchange->begin(std::move(*download->head));
    download->head.reset();
  }
  if (download->left.length == 0) {
    exchange->write(*std::move(bytes));
    exchange->finish();
    return;
  }
  exchange->write(*std::move(bytes), [self = shared_from_this(), download](const Status& taken) {
    if (taken) {
      self->next(download);
    }
  });
}

}  // namespace svc::files
