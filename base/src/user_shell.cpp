#include "svc/base/user_shell.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>

namespace svc::base {
namespace {

constexpr const char* kPlainShell = "/bin/sh";

std::string shellOfAccount() {
  constexpr std::size_t kEntry = 16UL * 1024;
  std::string buffer(kEntry, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
                     found != nullptr && found->pw_shell != nullptr;
  return known ? found->pw_shell : "";
}

bool canRun(const std::string& shell) {
  const auto name = std::filesystem::path(shell).filename();
  return name != "nologin" && name != "false" && ::access(shell.c_str(), X_OK) == 0;
}

}  // namespace

std::string userShell(const Environment& own) {
  const auto given = own.find("SHELL");
  auto shell = given == own.end() || given->second.empty() ? shellOfAccount() : given->second;
  return canRun(shell) ? shell : kPlainShell;
}

}  // namespace svc::base
