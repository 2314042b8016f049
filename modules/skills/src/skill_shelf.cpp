#include "skill_shelf.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/kernel/async.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/stage.h"

#include "remote_skills.h"

namespace svc::skills {
namespace {

constexpr std::string_view kPersonalProject = "proj_personal";
/// Catalogues of projects whose trees can still be asked for.
constexpr std::size_t kRecent = 16;

bool same(const Skill& left, const Skill& right) {
  return left.id == right.id && left.tree.digest == right.tree.digest &&
         left.directory == right.directory && left.offered == right.offered;
}

/// Whether clients would see a difference; the text of a skill is in its tree.
bool same(const Catalogue& left, const Catalogue& right) {
  return left.problems == right.problems &&
         std::equal(left.skills.begin(), left.skills.end(), right.skills.begin(),
                    right.skills.end(),
                    [](const Skill& one, const Skill& other) { return same(one, other); });
}

}  // namespace

SkillShelf::SkillShelf(Collaborators collaborators, std::vector<Root> user_roots)
    : collaborators_(collaborators),
      user_roots_(std::move(user_roots)),
      current_(
          std::make_shared<const Catalogue>(Catalogue{skillfiles::catalogueHash({}), {}, {}})) {}

CataloguePtr SkillShelf::current() const {
  const std::scoped_lock lock(mutex_);
  return current_;
}

void SkillShelf::scanOn(ScanInput input, Completion<CataloguePtr> done) {
  runOnWorker<CataloguePtr>(
      collaborators_.bulk, collaborators_.main,
      [input = std::move(input)]() -> Result<CataloguePtr> {
        return std::make_shared<const Catalogue>(scan(input));
      },
      std::move(done));
}

void SkillShelf::read(Place place, Completion<CataloguePtr> done) {
  thread_.check();
  if (place.remote) {
    readRemote(std::move(place.remote), std::move(done));
    return;
  }
  if (!place.project) {
    waiting_.push_back(std::move(done));
    start();
    return;
  }
  auto roots = projectRoots(*place.project);
  roots.insert(roots.end(), user_roots_.begin(), user_roots_.end());
  scanOn({.roots = std::move(roots), .plugins = plugins_},
         [weak = weak_from_this(), done = std::move(done)](Result<CataloguePtr> found) mutable {
           if (const auto self = weak.lock(); self && found) {
             self->remember(found.value());
           }
           done(std::move(found));
         });
}

void SkillShelf::readRemote(RemoteProjectPtr project, Completion<CataloguePtr> done) {
  std::vector<std::string> folders;
  for (const auto& root : projectRoots({})) {
    folders.push_back(root.path.string());
  }
  auto& remote = *project;
  remote.skills(
      folders, deliverOn(collaborators_.main,
                         Completion<common::Json>(
                             [weak = weak_from_this(), project = std::move(project),
                              done = std::move(done)](const Result<common::Json>& answer) mutable {
                               const auto self = weak.lock();
                               if (!answer || !self) {
                                 done(answer
                                          ? Error{errc::kUnavailable, "the server is shutting down"}
                                          : answer.error());
                                 return;
                               }
                               self->scanOn({.roots = self->user_roots_,
                                             .plugins = self->plugins_,
                                             .read = readRemotely(answer.value(), project)},
                                            std::move(done));
                             })));
}

void SkillShelf::remember(const CataloguePtr& catalogue) {
  const std::scoped_lock lock(mutex_);
  recent_.push_front(catalogue);
  if (recent_.size() > kRecent) {
    recent_.pop_back();
  }
}

void SkillShelf::refresh() {
  thread_.check();
  wanted_ = true;
  start();
}

void SkillShelf::refreshSoon() {
  thread_.check();
  if (!soon_) {
    soon_ = collaborators_.main.after(limits::kDevDebounce, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->soon_ = {};
        self->refresh();
      }
    });
  }
}

std::vector<std::filesystem::path> SkillShelf::folders() const {
  std::vector<std::filesystem::path> folders;
  for (const auto& root : user_roots_) {
    folders.push_back(root.path);
  }
  return folders;
}

void SkillShelf::start() {
  if (scanning_) {
    return;
  }
  scanning_ = true;
  wanted_ = false;
  asked_ = std::exchange(waiting_, {});
  scanOn({.roots = user_roots_, .plugins = plugins_},
         [weak = weak_from_this()](Result<CataloguePtr> found) {
           if (const auto self = weak.lock()) {
             self->finished(std::move(found));
           }
         });
}

void SkillShelf::finished(Result<CataloguePtr> found) {
  thread_.check();
  scanning_ = false;
  auto asked = std::exchange(asked_, {});
  bool changed = false;
  if (found) {
    const std::scoped_lock lock(mutex_);
    changed = !same(*std::exchange(current_, found.value()), *found.value());
  }
  for (auto& done : asked) {
    done(found);
  }
  if (changed) {
    const auto listeners = *listeners_;
    for (const auto& [key, listener] : listeners) {
      listener();
    }
  }
  if (wanted_ || !waiting_.empty()) {
    start();
  }
}

void SkillShelf::content(const Skill& skill, std::string path, Completion<std::string> done) {
  const auto& files = skill.tree.files;
  const bool known =
      std::any_of(files.begin(), files.end(),
                  [&](const skillfiles::SkillFile& file) { return file.path == path; });
  if (!known) {
    done(Error{errc::kNotFound,
               fmt::format("skill {} has no file \"{}\"", skill.id, skillfiles::shownName(path))});
    return;
  }
  if (skill.remote) {
    skill.remote->content(skill.directory / path, std::move(done));
    return;
  }
  // Shared, because a pool that refuses the task lets go of it.
  const auto answer = std::make_shared<Completion<std::string>>(std::move(done));
  if (!collaborators_.workers.submit([directory = skill.directory, path = std::move(path), answer] {
        (*answer)(guarded([&] { return skillfiles::readTreeFile(directory, path); }));
      })) {
    (*answer)(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

Handle SkillShelf::onChanged(std::function<void()> listener) {
  thread_.check();
  const auto key = ++last_listener_;
  listeners_->emplace(key, std::move(listener));
  return Handle([listeners = listeners_, key] { listeners->erase(key); });
}

Handle SkillShelf::useProjects(IProjectFolders& folders) {
  thread_.check();
  folders_ = &folders;
  return Handle([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->folders_ = nullptr;
    }
  });
}

void SkillShelf::place(const std::string& project_id, const std::string& environment_id,
                       Completion<Place> done) {
  thread_.check();
  if (project_id.empty() || project_id == kPersonalProject) {
    done(Place{});
    return;
  }
  if (folders_ == nullptr) {
    done(Error{errc::kNotFound, fmt::format("there is no project \"{}\"", project_id)});
    return;
  }
  folders_->find(project_id, environment_id, deliverOn(collaborators_.main, std::move(done)));
}

void SkillShelf::setPlugins(std::vector<plugins::PluginSkill> plugins) {
  thread_.check();
  plugins_ = std::move(plugins);
  refresh();
}

std::optional<SkillShelf::KnownTree> SkillShelf::tree(std::string_view digest) const {
  const std::scoped_lock lock(mutex_);
  auto catalogues = recent_;
  catalogues.push_front(current_);
  for (const auto& catalogue : catalogues) {
    for (const auto& skill : catalogue->skills) {
      if (skill.tree.digest == digest && !skill.remote) {
        return KnownTree{skill.directory, skill.tree};
      }
    }
  }
  return std::nullopt;
}

}  // namespace svc::skills
