#include "file_commands.h"

#include <stop_token>
#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/hostprotocol/protocol.h"

#include "file_changes.h"
#include "file_content.h"
#include "file_listing.h"
#include "file_write.h"
#include "skill_listing.h"

namespace svc::hostfiles {
namespace {

/// A listing gives what it has by then, while the server still waits for it.
constexpr auto kListingTime = limits::kFileCommand / 3;

}  // namespace

void FileCommands::attach(serverlink::IServerLink& link) {
  const auto on = [&](std::string_view type, auto work) {
    registrations_.push_back(
        link.onCommand(std::string(type), [&workers = workers_, bounds = bounds_, work](
                                              std::string command, Completion<std::string> done) {
          auto answer = std::make_shared<Completion<std::string>>(std::move(done));
          const bool taken = workers.submit(
              [answer, bounds, work, text = std::move(command)](const std::stop_token& stop) {
                (*answer)(guarded([&] { return work(*bounds, text, stop); }));
              });
          if (!taken) {
            (*answer)(Error{errc::kOverloaded, "this machine is too busy; try again"});
          }
        }));
  };
  const auto plain = [&](std::string_view type,
                         Result<std::string> (*work)(const Bounds&, const std::string&)) {
    on(type, [work](const Bounds& bounds, const std::string& command, const std::stop_token&) {
      return work(bounds, command);
    });
  };
  const auto listing =
      [&](std::string_view type,
          Result<std::string> (*work)(const Bounds&, const std::string&, const ListingBounds&)) {
        on(type, [work, &clock = clock_](const Bounds& bounds, const std::string& command,
                                         const std::stop_token& stop) {
          const auto end = clock.steadyNow() + kListingTime;
          ListingBounds costs;
          costs.over = [&] { return stop.stop_requested() || clock.steadyNow() > end; };
          return work(bounds, command, costs);
        });
      };
  using namespace hostprotocol::command;
  plain(kReadFile, readFile);
  plain(kWriteFile, writeFile);
  plain(kMakeDirectory, makeDirectory);
  plain(kMovePath, movePath);
  plain(kRemovePath, removePath);
  plain(kFileMetadata, fileMetadata);
  plain(kFileRange, fileRange);
  plain(kSkills, listSkills);
  listing(kListFiles, listFiles);
  listing(kListPaths, listPaths);
}

}  // namespace svc::hostfiles
