#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/limits/files.h"
#include "svc/hostprotocol/base64.h"

#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "commands/request.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
namespace fs = std::filesystem;

/// On the server's own machine it is meant as the caller would mean it.
std::string pathOn(const Context& context, const FileOptions& options, const std::string& path) {
  const bool whole = path.starts_with('/') || path == "~" || path.starts_with("~/");
  return whole || !options.host.empty()
             ? path
             : (fs::path(context.environment.working_dir) / path).lexically_normal().string();
}

/// Sends the command to the machine that is meant.
int ask(Context& context, const FileOptions& options, const std::string& route, Json body,
        const std::function<int(const Json& envelope)>& show) {
  const auto send = [&] {
    return request(context, {"POST", "/api/v1/files/" + route, body.dump()}, show);
  };
  if (options.host.empty()) {
    return send();
  }
  return withRecord(context, kMachineRecords, options.host, [&](Api& /*api*/, const Json& host) {
    body.set("hostId", host["id"]);
    return send();
  });
}

int nothingToShow(const Json& /*envelope*/) { return kExitOk; }

Error tooLarge(std::uintmax_t bytes, bool more) {
  return {errc::kTooLarge, fmt::format("the content has {}{} bytes (limit fileWrite: {})",
                                       more ? "more than " : "", bytes, limits::kFileWrite)};
}

/// What can be read to its end. No more of it is read than may be written.
Result<std::string> take(std::istream& in, Error unreadable) {
  std::string bytes(limits::kFileWrite + 1, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) {
    return unreadable;
  }
  return bytes.size() > limits::kFileWrite
             ? Result<std::string>(tooLarge(limits::kFileWrite, /*more=*/true))
             : Result<std::string>(std::move(bytes));
}

Result<std::string> contentOf(const Context& context, const FileOptions& options) {
  if (options.other.empty()) {
    return take(context.console.in, {codes::kUsage, "standard input cannot be read"});
  }
  std::error_code failed;
  // The library throws when it reads one.
  if (fs::is_directory(options.other, failed)) {
    return Error{codes::kUsage, fmt::format("{} is a directory", oneLine(options.other))};
  }
  if (const auto size = fs::file_size(options.other, failed);
      !failed && size > limits::kFileWrite) {
    return tooLarge(size, /*more=*/false);
  }
  Error unreadable{errc::kNotFound, fmt::format("cannot read {}", oneLine(options.other))};
  std::ifstream file(options.other, std::ios::binary);
  return file ? take(file, std::move(unreadable)) : std::move(unreadable);
}

/// `none`, or the 64 hexadecimal digits of a SHA-256.
bool isExpectation(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.empty() || text == "none" ||
         (text.size() == kDigits &&
          text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos);
}

}  // namespace

int fileList(Context& context, const FileOptions& options) {
  auto body = Json::object().set("path", pathOn(context, options, options.path));
  if (!options.query.empty()) {
    body.set("query", options.query);
  }
  if (options.limit > 0) {
    body.set("limit", options.limit);
  }
  const auto& console = context.console;
  return ask(context, options, "list", std::move(body), [&](const Json& envelope) {
    if (!console.json) {
      for (const auto& file : envelope["files"].items()) {
        console.out << oneLine(file["path"].asString()) << '\n';
      }
      if (envelope["truncated"].asBool()) {
        console.err << "There are more: raise --limit, or narrow it down with --query.\n";
      }
    }
    return static_cast<int>(kExitOk);
  });
}

int fileRead(Context& context, const FileOptions& options) {
  const auto& console = context.console;
  return ask(context, options, "read",
             Json::object().set("path", pathOn(context, options, options.path)),
             [&](const Json& envelope) {
               if (console.json) {
                 return static_cast<int>(kExitOk);
               }
               const auto& content = envelope["content"].asString();
               if (envelope["contentEncoding"].asString() != "base64") {
                 console.out << (console.out_terminal ? manyLines(content) : content);
                 return static_cast<int>(kExitOk);
               }
               if (console.out_terminal) {
                 console.fail(Error{codes::kRefused, "the file is no text, and this is a terminal"},
                              "redirect it: `svc file read … > copy`");
                 return static_cast<int>(kExitRefused);
               }
               console.out << hostprotocol::decodeBase64(content).value_or(std::string{});
               return static_cast<int>(kExitOk);
             });
}

int fileWrite(Context& context, const FileOptions& options) {
  const auto& console = context.console;
  if (!isExpectation(options.expected)) {
    console.fail(Error{codes::kUsage, "--expect: expected none or a SHA-256 of 64 digits"},
                 "`sha256sum <file>` tells it");
    return kExitUsage;
  }
  const auto content = contentOf(context, options);
  if (!content) {
    console.fail(content.error());
    return exitCodeFor(content.error().code.name());
  }
  auto body = Json::object()
                  .set("path", pathOn(context, options, options.path))
                  .set("content", hostprotocol::encodeBase64(content.value()))
                  .set("contentEncoding", "base64");
  if (!options.expected.empty()) {
    body.set("expectedSha256",
             options.expected == "none" ? Json() : Json(base::lowerAscii(options.expected)));
  }
  if (options.recursive) {
    body.set("createParents", true);
  }
  return ask(context, options, "write", std::move(body), [&](const Json& envelope) {
    const bool written = envelope["outcome"].asString() == "written";
    if (!console.json && written) {
      console.err << fmt::format("Wrote {} ({} bytes).\n", oneLine(envelope["path"].asString()),
                                 envelope["sizeBytes"].asInteger());
    }
    if (!written) {
      const auto& now = envelope["currentSha256"].asString();
      console.complain("nothing was written: the file is not as expected",
                       now.empty() ? "there is none" : "its SHA-256 is " + oneLine(now));
    }
    return static_cast<int>(written ? kExitOk : kExitFailure);
  });
}

int fileMkdir(Context& context, const FileOptions& options) {
  return ask(context, options, "mkdir",
             Json::object()
                 .set("path", pathOn(context, options, options.path))
                 .set("recursive", options.recursive),
             nothingToShow);
}

int fileMove(Context& context, const FileOptions& options) {
  return ask(context, options, "move",
             Json::object()
                 .set("sourcePath", pathOn(context, options, options.path))
                 .set("destinationPath", pathOn(context, options, options.other)),
             nothingToShow);
}

int fileRemove(Context& context, const FileOptions& options) {
  const auto& console = context.console;
  const auto path = pathOn(context, options, options.path);
  if (options.recursive && !options.yes) {
    if (!console.in_terminal) {
      console.fail(Error{codes::kRefused, "nothing was removed: it was not confirmed"},
                   "run it on a terminal, or add --yes");
      return kExitRefused;
    }
    if (!console.confirm("This removes " + oneLine(path) + " with all below it. Continue? [y/N]")) {
      console.fail(Error{codes::kRefused, "nothing was removed"});
      return kExitRefused;
    }
  }
  return ask(context, options, "remove",
             Json::object().set("path", path).set("recursive", options.recursive), nothingToShow);
}

}  // namespace svc::client
