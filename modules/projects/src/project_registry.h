#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"
#include "svc/projects/projects.h"
#include "svc/storage/project_store.h"

#include "project_record.h"

namespace svc::projects {

/// Called without locks, on the thread that made the change; an empty id stands for the list. `change` is a kind of the contract:
/// "project-created", "project-updated", …
using ProjectAnnouncer = std::function<void(const std::string& project_id, const char* change)>;

/// A folder of a machine.
struct Place {
  std::string host_id;
  std::string path;
};

struct SourceEdit {
  std::optional<std::string> path{};
  bool make_default = false;
};

/// Projects in memory, and their way into the store. Thread-safe. What changes something blocks until the store has it, so it is
/// never called on the io thread; the rest is quick.
class ProjectRegistry final : public IProjects {
 public:
  ProjectRegistry(storage::IProjectStore& store, const IClock& clock, ProjectAnnouncer announce);

  /// Reads what is stored and adds the personal project when it is missing. Blocks.
  [[nodiscard]] Status open();

  [[nodiscard]] std::vector<Project> list() const override;
  [[nodiscard]] std::optional<Project> find(std::string_view project_id) const override;
  [[nodiscard]] Handle onRemoved(
      std::function<void(const std::string& project_id)> listener) override;
  [[nodiscard]] Handle useEnvironments(EnvironmentPlaces places) override;

  /// The environment that is named, else the source on this machine, else the default source. `not_found`; `invalid_input` when the
  /// project has none there.
  [[nodiscard]] Result<Place> placeOf(const std::string& project_id, const std::string& host_id,
                                      const std::string& environment_id) const;

  /// In the order of list().
  [[nodiscard]] common::Json records(bool with_personal) const;
  /// `not_found` says how to find the ids.
  [[nodiscard]] Result<common::Json> record(std::string_view project_id) const;
  [[nodiscard]] Result<storage::ProjectSourceRow> source(std::string_view project_id,
                                                         std::string_view source_id) const;
  /// Success for one that people may change: `not_found`; `conflict` for the personal project.
  [[nodiscard]] Status checkChangeable(std::string_view project_id) const;

  // Answers are records. Errors: `not_found`; `conflict` says what is in the way, `unavailable` that nothing is changed.

  /// Last in the list. `conflict`: the folder is a source already.
  [[nodiscard]] Result<common::Json> create(const std::string& name, const Place& place);
  [[nodiscard]] Result<common::Json> rename(const std::string& project_id, const std::string& name);
  [[nodiscard]] Status remove(const std::string& project_id);
  /// Puts it between two that are neighbours; nullopt is the beginning or the end of the list. The list; `conflict` when they are
  /// no neighbours.
  [[nodiscard]] Result<common::Json> reorder(const std::string& project_id,
                                             const std::optional<std::string>& previous_id,
                                             const std::optional<std::string>& next_id);
  [[nodiscard]] Result<common::Json> addSource(const std::string& project_id, const Place& place);
  [[nodiscard]] Result<common::Json> editSource(const std::string& project_id,
                                                const std::string& source_id,
                                                const SourceEdit& edit);
  /// Another one becomes the default when it was. `conflict` for the last one.
  [[nodiscard]] Status removeSource(const std::string& project_id, const std::string& source_id);
  /// What the default source's repository calls its remote; empty = it has none. Nothing happens when it is known already, or the
  /// project is gone.
  [[nodiscard]] Status noteGitRemote(const std::string& project_id, const std::string& url);

 private:
  using Entries = std::map<std::string, ProjectEntry, std::less<>>;

  // Writers hold write_mutex_, so what they read cannot change under them; mutex_ keeps readers from seeing half of it.
  [[nodiscard]] std::vector<const ProjectEntry*> sorted() const;
  [[nodiscard]] Result<const ProjectEntry*> changeable(std::string_view project_id) const;
  [[nodiscard]] Status checkFree(const Place& place, std::string_view except_source) const;
  [[nodiscard]] Status commit(const storage::ProjectChange& change);

  storage::IProjectStore& store_;
  const IClock& clock_;
  const ProjectAnnouncer announce_;

  /// One writer at a time; taken before mutex_, and held while the store writes.
  std::mutex write_mutex_;
  mutable std::mutex mutex_;
  Entries entries_;

  struct Listeners {
    std::mutex mutex;
    int last = 0;
    std::map<int, std::function<void(const std::string&)>> all;
  };
  struct Environments {
    std::mutex mutex;
    std::shared_ptr<const EnvironmentPlaces> places;
  };
  const std::shared_ptr<Environments> environments_ = std::make_shared<Environments>();
  const std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace svc::projects
