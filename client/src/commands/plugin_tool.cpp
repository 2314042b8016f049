#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/base64.h"

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "progress.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string listPath(const std::string& id) {
  return id.empty() ? std::string("/api/v1/agent-tools") : pluginPath(id, "/tools");
}

std::string stateOf(const Json& tool) {
  return tool["offered"].asBool()
             ? std::string("offered")
             : fmt::format("not offered: {} has the name", tool["holder"].asString());
}

/// "chart.png", then "chart-2.png" and so on.
std::string numbered(const std::string& file, std::size_t number) {
  if (number == 1) {
    return file;
  }
  const auto slash = file.find_last_of('/');
  const auto dot = file.find_last_of('.');
  const bool has_dot =
      dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
  const auto at = has_dot ? dot : file.size();
  return fmt::format("{}-{}{}", file.substr(0, at), number, file.substr(at));
}

Status write(const std::string& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out << bytes << std::flush;
  return out ? Status() : Error{errc::kUnavailable, "cannot write " + file};
}

/// Whether the file can be written, before a call whose effects cannot be taken back. It stays as it is.
bool canWrite(const std::string& file) {
  std::error_code failed;
  const auto type = std::filesystem::status(file, failed).type();
  if (std::filesystem::exists(std::filesystem::file_status(type)) &&
      type != std::filesystem::file_type::regular) {
    // Who reads from a pipe would take this for its end.
    return type != std::filesystem::file_type::directory;
  }
  const bool writable = std::ofstream(file, std::ios::binary | std::ios::app).is_open();
  if (writable && type == std::filesystem::file_type::not_found) {
    std::filesystem::remove(file, failed);
  }
  return writable;
}

/// Text as it is, images as a note or into files.
Status showContent(const Console& console, const Json& content, const std::string& image_file) {
  std::size_t images = 0;
  for (const auto& part : content.items()) {
    if (part["type"].asString() != "image") {
      console.out << (console.out_terminal ? manyLines(part["text"].asString())
                                           : part["text"].asString())
                  << '\n';
      continue;
    }
    const auto bytes = hostprotocol::decodeBase64(part["data"].asString());
    if (!bytes) {
      return Error{errc::kInternal, "an image of the tool is no Base64"};
    }
    auto note = fmt::format("[{}, {} bytes", oneLine(part["mimeType"].asString()), bytes->size());
    if (!image_file.empty()) {
      const auto file = numbered(image_file, ++images);
      if (auto status = write(file, *bytes); !status) {
        return status;
      }
      note += ", written to " + file;
    }
    console.out << note << "]\n";
  }
  return {};
}

/// "half done (2 of 4)"
std::string reportText(const Json& report) {
  const auto* const total = report.find("total");
  const auto number = total == nullptr ? fmt::format("{:g}", report["progress"].asNumber())
                                       : fmt::format("{:g} of {:g}", report["progress"].asNumber(),
                                                     total->asNumber());
  const auto& message = report["message"].asString();
  return message.empty() ? number : fmt::format("{} ({})", message, number);
}

}  // namespace

int pluginToolList(Context& context, const std::string& id) {
  return request(context, {"GET", listPath(id), ""}, [&](const Json& envelope) {
    if (context.console.json) {
      return static_cast<int>(kExitOk);
    }
    const auto& tools = envelope["tools"].items();
    if (tools.empty()) {
      context.console.err << "No tools.\n";
    }
    Table table;
    table.add({"PLUGIN", "TOOL", "STATE", "DESCRIPTION"});
    for (const auto& tool : tools) {
      table.add({tool["pluginId"].asString(), tool["name"].asString(), stateOf(tool),
                 firstLine(tool["description"].asString())});
    }
    context.console.out << table.render(layoutFor(context.console));
    return static_cast<int>(kExitOk);
  });
}

int pluginToolInspect(Context& context, const std::string& id, const std::string& name) {
  const auto wanted = [&](const Json& envelope) -> Result<Json> {
    auto tools = Json::array();
    for (const auto& tool : envelope["tools"].items()) {
      if (name.empty() || tool["name"].asString() == name) {
        tools.push(tool);
      }
    }
    if (tools.items().empty()) {
      return Error{errc::kNotFound,
                   name.empty() ? fmt::format("plugin \"{}\" has no tools", id)
                                : fmt::format("plugin \"{}\" has no tool \"{}\"", id, name)};
    }
    return Json::object().set("ok", true).set("tools", std::move(tools));
  };
  return requestPart(context, {"GET", listPath(id), ""}, wanted,
                     "`svc plugin tool list` shows what there is", [&](const Json& envelope) {
                       for (const auto& tool : envelope["tools"].items()) {
                         if (!context.console.json) {
                           context.console.showJson(tool.dump());
                         }
                       }
                       return static_cast<int>(kExitOk);
                     });
}

int pluginToolCall(Context& context, const std::string& id, const std::string& name,
                   const ToolInput& input) {
  const auto body = readInput(input.arguments);
  if (!body) {
    context.console.fail(body.error(), R"(give it as one argument, such as '{"title":"tea"}')");
    return kExitUsage;
  }
  if (!input.image.empty() && !canWrite(input.image)) {
    context.console.fail(Error{codes::kUsage, "cannot write " + input.image},
                         "the tool was not called");
    return kExitUsage;
  }
  Progress progress(context.console);
  HttpRequest call{"POST", pluginPath(id, "/tools/" + percentEncode(name) + "?progress=true"),
                   body.value()};
  call.on_line = [&progress](const std::string& line) {
    if (const auto report = Json::parse(line); report && report.value().find("progress")) {
      progress.show(reportText(report.value()));
    }
  };
  return request(context, call, [&](const Json& envelope) {
    progress.clear();
    const bool failed = envelope["isError"].asBool();
    if (!context.console.json) {
      if (const auto status = showContent(context.console, envelope["content"], input.image);
          !status) {
        context.console.fail(status.error());
        return static_cast<int>(kExitFailure);
      }
    }
    if (failed) {
      context.console.complain(fmt::format("the tool {} answered with an error", name));
    }
    return static_cast<int>(failed ? kExitFailure : kExitOk);
  });
}

}  // namespace svc::client
