#include "skill_folders.h"

#include <memory>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::projects {
namespace {

using common::Json;
namespace command = hostprotocol::command;

/// Reading trees takes as long as other file commands.
constexpr auto kWait = limits::kFileCommand + limits::kHostTransport;

class RemoteProject final : public skills::IRemoteProject {
 public:
  RemoteProject(MachineCommands commands, Place place)
      : commands_(commands), place_(std::move(place)) {}

  void skills(const std::vector<std::string>& folders, Completion<Json> done) override {
    auto wanted = Json::array();
    for (const auto& folder : folders) {
      wanted.push(folder);
    }
    commands_.ask(place_.host_id,
                  Json::object()
                      .set("type", command::kSkills)
                      .set("path", place_.path)
                      .set("folders", std::move(wanted)),
                  kWait, std::move(done));
  }

  void content(const std::filesystem::path& file, Completion<std::string> done) override {
    commands_.ask(place_.host_id,
                  Json::object()
                      .set("type", command::kReadFile)
                      .set("path", file.string())
                      .set("rootPath", place_.path),
                  kWait, [done = std::move(done)](const Result<Json>& read) mutable {
                    done(read ? bytesOf(read.value()) : read.error());
                  });
  }

 private:
  static Result<std::string> bytesOf(const Json& file) {
    const auto& content = file["content"].asString();
    if (file["contentEncoding"].asString() != "base64") {
      return content;
    }
    auto bytes = hostprotocol::decodeBase64(content);
    if (!bytes) {
      return Error{errc::kInternal, "the machine has answered with something that is no file"};
    }
    return *std::move(bytes);
  }

  const MachineCommands commands_;
  const Place place_;
};

}  // namespace

void SkillFolders::find(std::string project_id, std::string environment_id,
                        Completion<skills::Place> done) {
  done(placeOf(project_id, environment_id));
}

Result<skills::Place> SkillFolders::placeOf(const std::string& project_id,
                                            const std::string& environment_id) const {
  const auto place = registry_.placeOf(project_id, {}, environment_id);
  if (!place) {
    return place.error();
  }
  if (const auto host = machines_.find(place.value().host_id); host && host->is_server) {
    return skills::Place{.project = place.value().path};
  }
  // A project may have a folder on both.
  if (environment_id.empty()) {
    for (const auto& host : machines_.list()) {
      const auto here = host.is_server ? registry_.placeOf(project_id, host.id, {}) : place;
      if (host.is_server && here) {
        return skills::Place{.project = here.value().path};
      }
    }
  }
  return skills::Place{.remote = std::make_shared<RemoteProject>(commands_, place.value())};
}

}  // namespace svc::projects
