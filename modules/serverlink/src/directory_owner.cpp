#include "directory_owner.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "server_address.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;

/// Where the server has its daemon, as a record without the mark shows it.
bool looksLikeServers(const Credential& stored, const fs::path& directory) {
  std::error_code ignored;
  const auto address = ServerAddress::parse(stored.server_url);
  return directory.filename() == "hostd" && address && address.value().isLoopback() &&
         fs::exists(directory.parent_path() / "svc.db", ignored);
}

/// Outside of what the server has, where its backups would take the key along.
std::string otherDirectory(const fs::path& directory) {
  const auto name = directory.filename();
  return name == "hostd" || name == "machine" ? directory.parent_path().string() + "-hostd"
                                              : directory.string() + "-joined";
}

/// For a shell.
std::string shellWord(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](const char each) {
    return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
           (each >= 'A' && each <= 'Z') ||
           std::string_view("-_./:,@%+=").find(each) != std::string_view::npos;
  });
  if (plain) {
    return text;
  }
  std::string quoted = "'";
  for (const char each : text) {
    quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
  }
  return quoted + "'";
}

std::string joinCommand(const DaemonSettings& settings) {
  auto command = fmt::format("svc-hostd join --server {} --code {}", shellWord(settings.server),
                             shellWord(settings.code));
  for (const auto& [flag, value] :
       {std::pair{"--name", settings.name}, std::pair{"--fingerprint", settings.fingerprint}}) {
    if (!value.empty()) {
      command += fmt::format(" {} {}", flag, shellWord(value));
    }
  }
  for (const auto& [flag, given] : {std::pair{"--ephemeral", settings.ephemeral},
                                    std::pair{"--enroll-only", settings.enroll_only},
                                    std::pair{"--auto-update", settings.auto_update}}) {
    if (given) {
      command += fmt::format(" {}", flag);
    }
  }
  return command;
}

}  // namespace

bool isOfServer(const Credential& stored, const DaemonSettings& settings) {
  // Without the mark an earlier daemon goes on as it was, and only a join asks.
  return stored.of_server.value_or(settings.join &&
                                   looksLikeServers(stored, settings.data_directory));
}

Error directoryOfServer(const DaemonSettings& settings) {
  const auto other = shellWord(otherDirectory(settings.data_directory));
  const auto what =
      fmt::format("{} belongs to the daemon of a server of this machine, which starts it itself",
                  settings.data_directory.string());
  return {errc::kInvalidArgument,
          settings.join
              ? fmt::format("{}. Join with another directory:\n  {} --data-dir {}\nand start the "
                            "daemon with \"svc-hostd --data-dir {}\" from then on",
                            what, joinCommand(settings), other, other)
              : fmt::format("{}. A daemon that has joined another server has a directory of its "
                            "own: svc-hostd --data-dir {}; to enroll it, run \"svc machine "
                            "enroll\" on that server, and here the command that it prints with "
                            "--data-dir {} behind it",
                            what, other, other)};
}

}  // namespace svc::serverlink
