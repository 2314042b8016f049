#include "attachment_routes.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/media_type.h"

#include "project_limits.h"
#include "requests.h"

namespace svc::projects {
namespace {

using common::Json;

Json toRecord(const Attachment& attachment) {
  auto record = Json::object()
                    .set("type", attachment.is_image ? "localImage" : "localFile")
                    .set("path", attachment.path)
                    .set("name", attachment.name)
                    .set("sizeBytes", static_cast<std::int64_t>(attachment.size));
  if (!attachment.mime_type.empty()) {
    record.set("mimeType", attachment.mime_type);
  }
  return record;
}

struct CopyRequest {
  std::string source_project_id;
  std::vector<std::string> paths;
};

Result<CopyRequest> readCopy(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  CopyRequest copy{.source_project_id = body.requiredString("sourceProjectId"),
                   .paths = body.requiredStrings("paths")};
  if (copy.paths.size() > kAttachmentCopies) {
    body.issue(fmt::format("At most {} at a time, got {}", kAttachmentCopies, copy.paths.size()),
               {Json("paths")});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return copy;
}

}  // namespace

Status AttachmentRoutes::attach(http::IHttpServer& server) {
  const std::string base = "/api/v1/projects/:projectId/attachments";
  const auto add = [&](http::Route route,
                       void (AttachmentRoutes::*member)(const http::ExchangePtr&)) {
    auto added = server.route(std::move(route), [this, member](const http::ExchangePtr& exchange) {
      (this->*member)(exchange);
    });
    if (!added) {
      return Status{std::move(added).error()};
    }
    routes_.push_back(std::move(added).value());
    return Status{};
  };
  if (auto added = add({.method = "POST",
                        .pattern = base,
                        .guard = http::Guard::kUpload,
                        .body_limit = http::BodyLimit(kAttachment)},
                       &AttachmentRoutes::upload);
      !added) {
    return added;
  }
  if (auto added = add({.method = "GET", .pattern = base + "/content"}, &AttachmentRoutes::read);
      !added) {
    return added;
  }
  return add({.method = "POST", .pattern = base + "/copy"}, &AttachmentRoutes::copy);
}

void AttachmentRoutes::upload(const http::ExchangePtr& exchange) {
  auto& request = exchange->request();
  const std::string project_id(request.parameter("projectId"));
  const auto name = request.queryParameter("filename").value_or("");
  if (!common::isUtf8(name)) {
    return exchange->fail({errc::kInvalidInput, "filename: expected UTF-8"});
  }
  if (!registry_.find(project_id)) {
    return exchange->fail(noSuchProject(project_id));
  }
  const auto* type = request.header("content-type");
  later(exchange, [this, project_id, name, type = type == nullptr ? std::string() : *type,
                   bytes = std::move(request.body)](http::IExchange& answer) {
    const auto stored = attachments_.store(project_id, name, type, bytes);
    if (!stored) {
      return answer.fail(stored.error());
    }
    if (!registry_.find(project_id)) {
      // It was deleted meanwhile, and its files with it; what came after goes, too.
      (void)attachments_.removeAll(project_id);
      return answer.fail(noSuchProject(project_id));
    }
    respond(answer, 201, Json::object().set("attachment", toRecord(stored.value())));
  });
}

void AttachmentRoutes::read(const http::ExchangePtr& exchange) {
  const std::string project_id(exchange->request().parameter("projectId"));
  if (!registry_.find(project_id)) {
    return exchange->fail(noSuchProject(project_id));
  }
  auto path = exchange->request().queryParameter("path");
  if (!path) {
    return exchange->fail({errc::kInvalidInput, "path: the path of an attachment is missing"});
  }
  later(exchange, [this, project_id, path = *std::move(path)](http::IExchange& answer) {
    auto bytes = attachments_.read(project_id, path);
    if (!bytes) {
      return answer.fail(bytes.error());
    }
    // Someone else's file below the address of the window: it must not become a page of it.
    const auto image = common::imageType(bytes.value());
    const auto named = common::mediaTypeOf(path);
    const std::string_view type = !image.empty()   ? image
                                  : !named.empty() ? named
                                                   : "application/octet-stream";
    answer.respond({.status = 200,
                    .content_type = std::string(type),
                    .headers = {{"x-content-type-options", "nosniff"},
                                {"content-security-policy", "sandbox; default-src 'none'"},
                                {"content-disposition", image.empty() ? "attachment" : "inline"},
                                {"cache-control", "private, max-age=86400"}},
                    .body = std::move(bytes).value()});
  });
}

void AttachmentRoutes::copy(const http::ExchangePtr& exchange) {
  const std::string project_id(exchange->request().parameter("projectId"));
  auto wanted = readCopy(exchange->request());
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  for (const auto& id : {project_id, wanted.value().source_project_id}) {
    if (!registry_.find(id)) {
      return exchange->fail(noSuchProject(id));
    }
  }
  later(exchange, [this, project_id, wanted = std::move(wanted).value()](http::IExchange& answer) {
    const auto copied = attachments_.copy(wanted.source_project_id, project_id, wanted.paths);
    if (!copied) {
      return answer.fail(copied.error());
    }
    respond(answer, 200, Json::object());
  });
}

void AttachmentRoutes::later(const http::ExchangePtr& exchange,
                             std::function<void(http::IExchange&)> job) {
  if (!workers_.submit(
          [exchange, job = std::move(job)](const std::stop_token&) { job(*exchange); })) {
    exchange->fail(
        {errc::kOverloaded, "too many files are being read and written; try again later"});
  }
}

}  // namespace svc::projects
