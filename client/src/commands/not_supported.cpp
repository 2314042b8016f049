#include <algorithm>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/commands.h"
#include "exit_code.h"

namespace svc::client {

int notSupported(Context& context, const char* group, const char* what) {
  context.console.fail(
      Error{errc::kNotSupported,
            fmt::format("`svc {}` does not work yet: this version of the server has no {}", group,
                        what)},
      "`svc --help` shows what there is; a plugin's command of that name runs as `svc plugin run "
      "<id> …`");
  return kExitFailure;
}

int notSupportedCommand(Context& context, const std::vector<std::string>& words, const char* group,
                        const char* what) {
  context.console.json =
      context.console.json || std::find(words.begin(), words.end(), "--json") != words.end();
  return notSupported(context, group, what);
}

}  // namespace svc::client
