#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/limits.h"
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

Result<std::string> contentOf(const Context& context, const FileOptions& options) {
  std::string bytes;
  const auto take = [&bytes](std::istream& in) {
    bytes.assign(std::istreambuf_iterator<char>(in), {});
    return !in.bad();
  };
  if (options.other.empty()) {
    return take(context.console.in) ? Result<std::string>(std::move(bytes))
                                    : Error{codes::kUsage, "standard input cannot be read"};
  }
  std::ifstream file(options.other, std::ios::binary);
  if (!file || !take(file)) {
    return Error{errc::kNotFound, fmt::format("cannot read {}", oneLine(options.other))};
  }
  return bytes;
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
  const auto content = contentOf(context, options);
  if (!content) {
    console.fail(content.error());
    return exitCodeFor(content.error().code.name());
  }
  if (content.value().size() > limits::kFileWrite) {
    console.fail(
        Error{errc::kTooLarge, fmt::format("the content has {} bytes (limit fileWrite: {})",
                                           content.value().size(), limits::kFileWrite)});
    return kExitFailure;
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
