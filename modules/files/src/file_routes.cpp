#include "file_routes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/http.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"
#include "svc/kernel/async.h"

#include "machine.h"

namespace svc::files {
namespace {

using common::Json;

/// The limit is the content's. Each byte of it may be an escape of six characters (\u001b), and the other members need room, too.
constexpr std::size_t kLongestEscape = 6;
constexpr std::size_t kWriteBody = kLongestEscape * limits::kFileWrite + limits::kHeaders;
/// What still fits into a message goes as it is.
constexpr std::size_t kPlainContent = 8UL * 1024 * 1024;

struct Entry {
  const char* name;
  std::string_view type;
  std::size_t body_limit;
  std::vector<std::string_view> known;
};

std::vector<Entry> entries() {
  using namespace hostprotocol::command;
  return {
      {"read", kReadFile, limits::kRpcBody, {"path", "rootPath"}},
      {"write",
       kWriteFile,
       kWriteBody,
       {"path", "content", "rootPath", "contentEncoding", "createParents", "expectedSha256",
        "mode"}},
      {"list", kListFiles, limits::kRpcBody, {"path", "query", "limit", "rootPath"}},
      {"list-paths",
       kListPaths,
       limits::kRpcBody,
       {"path", "query", "limit", "rootPath", "includeFiles", "includeDirectories"}},
      {"mkdir", kMakeDirectory, limits::kRpcBody, {"path", "recursive", "rootPath"}},
      {"move", kMovePath, limits::kRpcBody, {"sourcePath", "destinationPath", "rootPath"}},
      {"remove", kRemovePath, limits::kRpcBody, {"path", "recursive", "rootPath"}},
  };
}

Error tooLarge(std::size_t bytes) {
  return {errc::kTooLarge,
          fmt::format("the content has {} bytes (limit fileWrite: {})", bytes, limits::kFileWrite)};
}

Result<std::string> base64Member(std::string_view raw) {
  constexpr std::size_t kQuotes = 2;
  const auto bytes = (raw.size() - std::min(raw.size(), kQuotes)) / 4 * 3;
  return bytes > limits::kFileWrite + 2 ? Result<std::string>(tooLarge(bytes))
                                        : Result<std::string>(std::string(raw));
}

/// One with megabytes goes as Base64, whose size is known; the other end unescapes the rest.
Result<std::string> contentMember(std::string_view raw, bool is_base64) {
  // Some programs write the slashes of Base64 as escapes.
  const bool is_plain = is_base64 && raw.find('\\') == std::string_view::npos;
  if (is_plain || (!is_base64 && raw.size() <= kPlainContent)) {
    return is_plain ? base64Member(raw) : Result<std::string>(std::string(raw));
  }
  const auto text = Json::parse(raw);
  if (!text || !text.value().isString()) {
    return Error{errc::kInvalidInput, "the request is not valid: content: Expected a string"};
  }
  if (is_base64) {
    return base64Member(text.value().dump());
  }
  const auto& bytes = text.value().asString();
  if (bytes.size() > limits::kFileWrite) {
    return tooLarge(bytes.size());
  }
  return fmt::format(R"("{}","contentEncoding":"base64")", hostprotocol::encodeBase64(bytes));
}

/// Longer answers are read by a worker: every client waits for the io thread.
constexpr std::size_t kReadInPlace = 256UL * 1024;

void respond(const http::ExchangePtr& exchange, Result<std::string> body) {
  if (!body) {
    exchange->fail(body.error());
    return;
  }
  http::Response response;
  response.body = std::move(body).value();
  exchange->respond(std::move(response));
}

}  // namespace

Result<FileCommand> fileCommand(std::string_view body, std::string_view type,
                                const std::vector<std::string_view>& known) {
  const auto members = common::JsonSlices::parse(body);
  if (!members) {
    auto reader = common::BodyReader::parse(body);
    return reader ? reader.value().finish().error() : std::move(reader).error();
  }
  FileCommand command;
  command.text = fmt::format(R"({{"type":"{}")", type);
  const bool is_base64 = members.value().text("contentEncoding") == "base64";
  for (const auto& [key, raw] : members.value().members()) {
    if (key == "hostId") {
      command.host_id = members.value().text(key);
      if (command.host_id.empty()) {
        return Error{errc::kInvalidInput,
                     "the request is not valid: hostId: Expected the id of a machine"};
      }
      continue;
    }
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      continue;
    }
    std::string value(raw);
    if (key == "content") {
      auto content = contentMember(raw, is_base64);
      if (!content) {
        return std::move(content).error();
      }
      value = std::move(content).value();
    } else if (key == "contentEncoding" && !is_base64 && raw != R"("utf8")") {
      return Error{errc::kInvalidInput,
                   "the request is not valid: contentEncoding: Expected \"utf8\" or \"base64\""};
    } else if (key == "contentEncoding" && !is_base64) {
      continue;  // what is not named is utf8
    }
    command.text += fmt::format(R"(,"{}":)", key) + value;
  }
  command.text += '}';
  return command;
}

Status FileRoutes::attach(http::IHttpServer& server) {
  for (auto& entry : entries()) {
    auto route =
        server.route({.method = "POST",
                      .pattern = fmt::format("/api/v1/files/{}", entry.name),
                      .body_limit = entry.body_limit},
                     [this, type = entry.type, known = std::move(entry.known)](
                         const http::ExchangePtr& exchange) { pass(exchange, type, known); });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void FileRoutes::pass(const http::ExchangePtr& exchange, std::string_view type,
                      const std::vector<std::string_view>& known) {
  runOnWorker<FileCommand>(
      with_.workers, with_.reactor,
      [body = std::move(exchange->request().body), type, known] {
        return fileCommand(body, type, known);
      },
      [with = with_, exchange](Result<FileCommand> command) {
        if (command) {
          send(with, exchange, std::move(command).value());
        } else {
          exchange->fail(command.error());
        }
      });
}

void FileRoutes::send(const With& with, const http::ExchangePtr& exchange, FileCommand command) {
  const auto host = machineFor(with.registry, command.host_id);
  if (!host) {
    exchange->fail(host.error());
    return;
  }
  with.commands.send(
      host.value().id, std::move(command.text), limits::kFileCommand,
      [with, exchange](Result<std::string> result) {
        if (!result) {
          exchange->fail(fileFailure(std::move(result).error()));
        } else if (result.value().size() <= kReadInPlace) {
          respond(exchange, hosts::answerEnvelope(result.value()));
        } else {
          runOnWorker<std::string>(
              with.workers, with.reactor,
              [answer = std::move(result).value()] { return hosts::answerEnvelope(answer); },
              [exchange](Result<std::string> body) { respond(exchange, std::move(body)); });
        }
      });
}

}  // namespace svc::files
