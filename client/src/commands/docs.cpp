#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/json.h"

#include "api.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

/// Folders below /docs that a page may be named without.
constexpr std::array kFolders{"", "guide/", "examples/"};

int printUrl(const Console& console, const std::string& address) {
  const auto url = address + "/docs/";
  if (console.json) {
    console.out << common::okEnvelope(common::Json::object().set("url", url)) << '\n';
  } else {
    console.out << url << '\n';
  }
  return kExitOk;
}

int printText(const Console& console, const std::string& text) {
  if (console.json) {
    console.out << common::okEnvelope(common::Json::object().set("text", text)) << '\n';
  } else {
    console.out << manyLines(text);
  }
  return kExitOk;
}

/// 404 when the server has none of the targets.
Result<HttpResponse> firstOf(Api& api, const std::vector<std::string>& targets) {
  Result<HttpResponse> response = HttpResponse{404, {}};
  for (const auto& target : targets) {
    response = api.raw({"GET", target, ""});
    if (!response || response.value().status != 404) {
      break;
    }
  }
  return response;
}

/// A page may be named as the list names it: docs/guide/rpc.md.
std::string_view nameOf(std::string_view page) {
  constexpr std::string_view kRoot = "docs/";
  constexpr std::string_view kEnd = ".md";
  page.remove_prefix(page.starts_with(kRoot) ? kRoot.size() : 0);
  page.remove_suffix(page.ends_with(kEnd) ? kEnd.size() : 0);
  return page;
}

std::vector<std::string> targetsOf(const DocsOptions& options) {
  if (options.list) {
    return {"/llms.txt"};
  }
  if (options.page.empty()) {
    return {"/docs/index.html"};
  }
  std::vector<std::string> targets;
  for (const auto* folder : kFolders) {
    targets.push_back(fmt::format("/docs/{}{}.md", folder, percentEncode(nameOf(options.page))));
  }
  return targets;
}

}  // namespace

int showDocs(Context& context, const DocsOptions& options) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto response = firstOf(api.value(), targetsOf(options));
  if (!response) {
    return reportNoAnswer(console, response.error());
  }
  if (response.value().status == 404 && !options.page.empty()) {
    console.fail(Error{errc::kNotFound,
                       fmt::format("the documentation has no page \"{}\"", oneLine(options.page))},
                 "`svc manual --list` names the pages");
    return kExitNotFound;
  }
  if (response.value().status != 200) {
    const auto reply = api.value().envelopeOf(response.value());
    return reply ? reportFailure(console, reply.value()) : reportNoAnswer(console, reply.error());
  }
  if (!options.list && options.page.empty()) {
    return printUrl(console, api.value().address().url);
  }
  return printText(console, response.value().body);
}

}  // namespace svc::client
