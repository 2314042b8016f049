// Writes what is made from the command definitions: `svc_reference markdown` to stdout, `svc_reference share <dir>` the
// manual pages and completion scripts below a directory, in the places an installation has them.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include "commands/commands.h"
#include "reference.h"

namespace {

namespace fs = std::filesystem;
using namespace svc::client;

bool save(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  return static_cast<bool>(out << text << std::flush);
}

std::string completionScript(const std::string& shell) {
  std::istringstream in;
  std::ostringstream out;
  Context context{.console = {.in = in, .out = out, .err = out},
                  .environment = {},
                  .choice = {},
                  .connector = {},
                  .sleep = {}};
  static_cast<void>(completion(context, shell));
  return out.str();
}

bool writeShare(const fs::path& share) {
  bool good = save(share / "bash-completion/completions/svc", completionScript("bash")) &&
              save(share / "zsh/site-functions/_svc", completionScript("zsh")) &&
              save(share / "fish/vendor_completions.d/svc.fish", completionScript("fish"));
  for (const auto& [name, text] : manualPages(commandTree(), SVC_VERSION)) {
    good = save(share / "man/man1" / name, text) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "markdown") {
    std::cout << markdownReference(commandTree());
    return 0;
  }
  if (mode == "share" && argc > 2) {
    return writeShare(argv[2]) ? 0 : 1;
  }
  std::cerr << "usage: svc_reference markdown | share <dir>\n";
  return 2;
}
