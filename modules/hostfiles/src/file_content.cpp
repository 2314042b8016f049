#include "file_content.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "svc/common/body_reader.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/media_type.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"

#include "regular_file.h"

namespace svc::hostfiles {
namespace {

using common::BodyReader;
using common::Json;

/// Of an answer beside the content.
constexpr std::size_t kRoom = 64UL * 1024;

/// Text that programs for text take, and that fits into a message.
bool isText(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos || !common::isUtf8(bytes)) {
    return false;
  }
  std::size_t size = 0;
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr std::size_t kEscaped = 6;
  constexpr std::string_view kShortlyEscaped = "\"\\\b\f\n\r\t";
  for (const char c : bytes) {
    size += kShortlyEscaped.find(c) != std::string_view::npos ? 2
            : static_cast<unsigned char>(c) < kFirstPrintable ? kEscaped
                                                              : 1;
  }
  return size + kRoom <= limits::kIpcMessage;
}

}  // namespace

Result<std::string> readFile(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  auto asked = askedOf(bounds, reader.value());
  if (!asked) {
    return std::move(asked).error();
  }
  const auto object = asked.value().reach.object(asked.value().path);
  if (!object) {
    return object.error();
  }
  const auto status = regularFile(object.value());
  if (!status) {
    return status.error();
  }
  const auto bytes = contentOf(object.value(), status.value());
  if (!bytes) {
    return bytes.error();
  }
  const bool text = isText(bytes.value());
  const auto& path = object.value().path;
  auto answer =
      Json::object()
          .set("path", path.string())
          .set("content", text ? bytes.value() : hostprotocol::encodeBase64(bytes.value()))
          .set("contentEncoding", text ? "utf8" : "base64")
          .set("sha256", sha256(bytes.value()))
          .set("sizeBytes", static_cast<std::int64_t>(bytes.value().size()))
          .set("modifiedAtMs", modifiedMs(status.value()))
          .set("mode", static_cast<std::int64_t>(status.value().st_mode & kPermissions));
  if (const auto type = common::mediaTypeOf(path.filename().string()); !type.empty()) {
    answer.set("mimeType", type);
  }
  return answer.dump();
}

Result<std::string> fileMetadata(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  auto asked = askedOf(bounds, reader.value());
  if (!asked) {
    return std::move(asked).error();
  }
  const auto object = asked.value().reach.object(asked.value().path);
  if (!object) {
    return object.error();
  }
  struct stat status {};
  if (::fstat(object.value().handle.get(), &status) != 0) {
    return pathFailure("read", object.value().path.string(), errno);
  }
  const bool regular = S_ISREG(status.st_mode) && !isMadeUp(object.value().handle.get());
  auto answer = Json::object()
                    .set("path", object.value().path.string())
                    .set("kind", S_ISDIR(status.st_mode) ? "directory"
                                 : regular               ? "file"
                                                         : "other")
                    .set("sizeBytes", std::int64_t{status.st_size})
                    .set("modifiedAtMs", modifiedMs(status))
                    .set("mode", static_cast<std::int64_t>(status.st_mode & kPermissions));
  if (const auto type = common::mediaTypeOf(object.value().path.filename().string());
      !type.empty()) {
    answer.set("mimeType", type);
  }
  return answer.dump();
}

Result<std::string> fileRange(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto& body = reader.value().body();
  for (const auto* member : {"offset", "length"}) {
    if (!body[member].isInteger() || body[member].asInteger() < 0) {
      reader.value().issue("Expected a whole number from 0", {Json(member)});
    }
  }
  auto asked = askedOf(bounds, reader.value());
  if (!asked) {
    return std::move(asked).error();
  }
  const auto object = asked.value().reach.object(asked.value().path);
  if (!object) {
    return object.error();
  }
  const auto status = regularFile(object.value());
  if (!status) {
    return status.error();
  }
  const auto file = openForReading(object.value());
  if (!file) {
    return file.error();
  }
  std::string bytes(
      std::min(static_cast<std::size_t>(body["length"].asInteger()), hostprotocol::kFileRange),
      '\0');
  std::size_t count = 0;
  while (count < bytes.size()) {
    const auto read = ::pread(file.value().get(), bytes.data() + count, bytes.size() - count,
                              body["offset"].asInteger() + static_cast<std::int64_t>(count));
    if (read < 0 && errno == EINTR) {
      continue;
    }
    if (read < 0) {
      return pathFailure("read", object.value().path.string(), errno);
    }
    if (read == 0) {
      break;
    }
    count += static_cast<std::size_t>(read);
  }
  bytes.resize(count);
  return Json::object()
      .set("dataBase64", hostprotocol::encodeBase64(bytes))
      .set("sizeBytes", std::int64_t{status.value().st_size})
      .set("modifiedAtMs", modifiedMs(status.value()))
      .dump();
}

}  // namespace svc::hostfiles
