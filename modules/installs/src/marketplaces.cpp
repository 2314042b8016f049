#include "marketplaces.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "bound_processes.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "marketplace.json";
constexpr const char* kShippedSource = "builtin:examples";

Result<std::string> readLimited(const fs::path& file) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure) {
    return refusal("not_found",
                   fmt::format("{} cannot be read: {}", file.string(), failure.message()));
  }
  if (size > limits::kMarketplaceFile) {
    return Error{errc::kTooLarge, fmt::format("{} has {} bytes (limit marketplaceFile: {})",
                                              file.string(), size, limits::kMarketplaceFile)};
  }
  std::ifstream in(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Error unknown(const std::string& name) {
  return {errc::kNotFound, fmt::format("no marketplace \"{}\" was added", name)};
}

/// Why an entry is not found, and where to look for it; an empty marketplace is any.
std::string notListed(const std::string& entry_id, const std::string& marketplace, bool is_there) {
  if (marketplace.empty()) {
    return fmt::format(
        "no marketplace lists \"{0}\"; for a directory write ./{0}, for an npm package npm:{0}",
        entry_id);
  }
  return is_there ? fmt::format(R"(the marketplace "{}" does not list "{}"; )"
                                "`svc plugin search <word>` finds what is listed",
                                marketplace, entry_id)
                  : fmt::format(R"(no marketplace "{}" was added; `svc marketplace list` shows )"
                                "those there are, `svc marketplace add <source>` adds one",
                                marketplace);
}

}  // namespace

ManagedSource sourceOf(const CatalogHit& hit) {
  return {hit.entry.source, {hit.entry.id, hit.marketplace, hit.entry.author}};
}

Status Marketplaces::open() {
  auto rows = with_.store.marketplaces();
  if (!rows) {
    return std::move(rows).error();
  }
  const std::lock_guard lock(mutex_);
  for (auto& row : rows.value()) {
    auto file = parseMarketplace(row.content);
    Marketplace entry{.row = row,
                      .file = file ? std::move(file).value() : MarketplaceFile{.name = row.name},
                      .attempted_at = row.refreshed_at};
    marketplaces_.insert_or_assign(row.name, std::move(entry));
  }
  openShipped();
  return {};
}

void Marketplaces::openShipped() {
  const auto path = with_.examples / kFile;
  std::error_code ignored;
  if (with_.examples.empty() || !fs::exists(path, ignored)) {
    return;
  }
  auto text = readLimited(path);
  auto file = text ? parseMarketplace(text.value(), ListOrigin::kShipped)
                   : Result<MarketplaceFile>(text.error());
  if (!file) {
    with_.log->warn("the examples that come with the service cannot be listed: {}",
                    file.error().message);
    return;
  }
  const auto name = file.value().name;
  const auto now = with_.clock.nowMs();
  Marketplace shipped{.row = {name, kShippedSource, "", now, now, ""},
                      .file = std::move(file).value(),
                      .attempted_at = now,
                      .is_shipped = true};
  if (!marketplaces_.try_emplace(name, std::move(shipped)).second) {
    with_.log->warn(
        "the marketplace \"{0}\" that was added hides the examples that come with the service; "
        "`svc "
        "marketplace remove {0}` shows them again after a restart",
        name);
  }
}

void Marketplaces::begin() {
  refreshAll();
  timer_ = with_.work.main().after(limits::kMarketplaceRefresh, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->begin();
    }
  });
}

void Marketplaces::refreshAll() {
  for (const auto& each : list()) {
    refresh(each.row.name, [log = with_.log,
                            name = each.row.name](const Result<Marketplace>& result) {
      if (!result) {
        log->warn("the marketplace {} could not be refreshed: {}", name, result.error().message);
      }
    });
  }
}

std::vector<Marketplace> Marketplaces::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Marketplace> out;
  for (const auto& [name, marketplace] : marketplaces_) {
    out.push_back(marketplace);
  }
  return out;
}

std::optional<Marketplace> Marketplaces::get(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = marketplaces_.find(name);
  return found == marketplaces_.end() ? std::nullopt : std::optional(found->second);
}

void Marketplaces::store(const Marketplace& marketplace) {
  const std::lock_guard lock(mutex_);
  marketplaces_.insert_or_assign(marketplace.row.name, marketplace);
}

void Marketplaces::unstore(const std::string& name) {
  const std::lock_guard lock(mutex_);
  marketplaces_.erase(name);
}

Result<Marketplaces::Fetched> Marketplaces::fetchGit(IProcesses& processes,
                                                     const std::string& source,
                                                     const std::stop_token& stop) {
  auto spec = parseSource(source, {}, "");
  if (!spec) {
    return std::move(spec).error();
  }
  auto directory = with_.cache.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  const auto& path = directory.value().path();
  GitClient git(processes);
  auto refs = git.refs(spec.value().url, path, stop);
  if (!refs) {
    return std::move(refs).error();
  }
  auto picked = pickRefs(refs.value(), spec.value());
  if (!picked) {
    return std::move(picked).error();
  }
  const auto& choice = picked.value().front();
  if (auto fetched = git.fetch(spec.value().url, choice, path / "repository", false, stop);
      !fetched) {
    return std::move(fetched).error();
  }
  auto text = git.show(path / "repository", choice.commit, kFile, stop);
  if (text) {
    return Fetched{std::move(text).value(), choice.commit};
  }
  return text.error().code != errc::kNotFound
             ? std::move(text).error()
             : refusal("not_found", fmt::format("{} has no {}", spec.value().url, kFile));
}

Result<Marketplaces::Fetched> Marketplaces::fetch(const std::string& source,
                                                  const std::stop_token& stop) {
  BoundProcesses processes(with_.processes, with_.clock, limits::kMarketplaceRead);
  auto fetched = fetchWith(processes, source, stop);
  if (fetched || fetched.error().code != errc::kTimeout) {
    return fetched;
  }
  return Error{errc::kTimeout,
               fmt::format("{} was not read within {} ms (limit marketplaceRead): it answers too "
                           "slowly; try again later, or use another address of the list",
                           source, limits::kMarketplaceRead.count())};
}

Result<Marketplaces::Fetched> Marketplaces::fetchWith(IProcesses& processes,
                                                      const std::string& source,
                                                      const std::stop_token& stop) {
  if (hasPassword(source)) {
    return refusal("not_found", "the address carries a password, which lists would show");
  }
  const auto asFetched = [](Result<std::string> text) -> Result<Fetched> {
    if (!text) {
      return std::move(text).error();
    }
    return Fetched{std::move(text).value()};
  };
  if (source.find("://") != std::string::npos && source.ends_with(".json")) {
    auto directory = with_.cache.stage();
    if (!directory) {
      return std::move(directory).error();
    }
    const auto file = directory.value().path() / kFile;
    if (auto fetched = Fetcher(processes).fetch(source, file, limits::kMarketplaceFile,
                                                "marketplaceFile", stop);
        !fetched) {
      return std::move(fetched).error();
    }
    return asFetched(readLimited(file));
  }
  const auto path = fs::path(source.starts_with("path:") ? source.substr(5) : source);
  if (path.is_absolute()) {
    std::error_code ignored;
    return asFetched(readLimited(fs::is_directory(path, ignored) ? path / kFile : path));
  }
  auto spec = parseSource(source, {}, "");
  if (spec && spec.value().kind == SourceKind::kGit) {
    return fetchGit(processes, source, stop);
  }
  return refusal(
      "not_found",
      fmt::format("\"{}\" is no marketplace: use the https address of a marketplace.json, "
                  "git:<url> or an absolute path",
                  source));
}

void Marketplaces::add(std::string source, Completion<Marketplace> done) {
  for (const auto& each : list()) {
    if (each.row.source == source) {
      done(Error{errc::kConflict,
                 fmt::format("{} is the marketplace \"{}\" already", source, each.row.name)});
      return;
    }
  }
  with_.work.run<Marketplace>(
      {},
      [self = shared_from_this(), source](const std::stop_token& stop) -> Result<Marketplace> {
        auto fetched = self->fetch(source, stop);
        if (!fetched) {
          return std::move(fetched).error();
        }
        auto file = parseMarketplace(fetched.value().text);
        if (!file) {
          return std::move(file).error();
        }
        Marketplace out{.row = {}, .file = std::move(file).value()};
        if (const auto taken = self->get(out.file.name)) {
          return Error{errc::kConflict,
                       fmt::format("a marketplace \"{}\" was added from {} already", out.file.name,
                                   taken->row.source)};
        }
        const auto now = self->with_.clock.nowMs();
        out.row = {out.file.name, source, std::move(fetched.value().text), now, now, ""};
        out.resolved_commit = std::move(fetched.value().commit);
        out.attempted_at = now;
        if (auto stored = self->with_.store.putMarketplace(out.row); !stored) {
          return std::move(stored).error();
        }
        self->store(out);
        return out;
      },
      std::move(done));
}

void Marketplaces::refresh(const std::string& name, Completion<Marketplace> done) {
  with_.work.run<Marketplace>(
      {},
      [self = shared_from_this(), name](const std::stop_token& stop) -> Result<Marketplace> {
        auto known = self->get(name);
        if (!known) {
          return unknown(name);
        }
        if (known->is_shipped) {
          return *std::move(known);
        }
        auto fetched = self->fetch(known->row.source, stop);
        auto file = fetched ? parseMarketplace(fetched.value().text)
                            : Result<MarketplaceFile>(fetched.error());
        if (file && file.value().name != name) {
          file = refusal("source_changed", fmt::format("{} names itself \"{}\" now",
                                                       known->row.source, file.value().name));
        }
        // A refresh that fails leaves the last good copy.
        known->attempted_at = self->with_.clock.nowMs();
        known->row.last_error = file ? "" : file.error().message;
        if (file) {
          known->file = file.value();
          known->row.content = std::move(fetched.value().text);
          known->row.refreshed_at = known->attempted_at;
          known->resolved_commit = std::move(fetched.value().commit);
        }
        if (!self->get(name)) {
          return unknown(name);
        }
        if (auto stored = self->with_.store.putMarketplace(known->row); !stored) {
          return std::move(stored).error();
        }
        self->store(*known);
        return file ? Result<Marketplace>(*std::move(known)) : std::move(file).error();
      },
      std::move(done));
}

void Marketplaces::remove(const std::string& name, Completion<void> done) {
  with_.work.run<void>(
      {},
      [self = shared_from_this(), name](const std::stop_token&) -> Status {
        const auto known = self->get(name);
        if (!known) {
          return unknown(name);
        }
        if (known->is_shipped) {
          return Error{
              errc::kConflict,
              fmt::format("the marketplace \"{}\" comes with the service and stays", name)};
        }
        if (auto removed = self->with_.store.removeMarketplace(name); !removed) {
          return removed;
        }
        self->unstore(name);
        return {};
      },
      std::move(done));
}

std::vector<CatalogHit> Marketplaces::search(std::string_view query) const {
  std::vector<std::pair<int, CatalogHit>> found;
  for (const auto& each : list()) {
    for (const auto& entry : each.file.entries) {
      if (const int score = searchScore(entry, query); score > 0) {
        found.push_back({score, {each.row.name, entry}});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
    return left.first != right.first ? left.first > right.first
                                     : left.second.entry.id < right.second.entry.id;
  });
  std::vector<CatalogHit> out;
  out.reserve(found.size());
  for (auto& [score, hit] : found) {
    out.push_back(std::move(hit));
  }
  return out;
}

Result<CatalogHit> Marketplaces::find(const std::string& entry_id,
                                      const std::string& marketplace) const {
  std::vector<CatalogHit> found;
  std::string places;
  for (const auto& each : list()) {
    if (!marketplace.empty() && each.row.name != marketplace) {
      continue;
    }
    for (const auto& entry : each.file.entries) {
      if (entry.id == entry_id) {
        found.push_back({each.row.name, entry});
        places += (places.empty() ? "" : ", ") + entry_id + "@" + each.row.name;
      }
    }
  }
  // Who adds a marketplace means its plugins.
  if (found.size() > 1) {
    std::erase_if(found, [](const CatalogHit& hit) { return isExample(hit.entry.source); });
  }
  if (found.size() > 1) {
    return refusal("not_found", fmt::format(R"(several marketplaces list "{}"; say which one: {})",
                                            entry_id, places));
  }
  if (found.empty()) {
    return refusal("not_found", notListed(entry_id, marketplace, get(marketplace).has_value()));
  }
  return std::move(found.front());
}

Result<ManagedSource> Marketplaces::current(const ManagedSource& installed) const {
  const auto hit = find(installed.origin.entry_id, installed.origin.marketplace);
  if (!hit) {
    const auto& entry_id = installed.origin.entry_id;
    const auto& name = installed.origin.marketplace;
    if (!get(name)) {
      return installed;
    }
    return refusal(
        "withdrawn",
        fmt::format("the marketplace {} does not list {} any more, and the version that "
                    "is installed stays; ask there why. To follow {} without the "
                    "marketplace, remove the plugin, which keeps its data, and install it "
                    "from there",
                    name, entry_id, identityOf(installed.spec)));
  }
  auto listed = sourceOf(hit.value());
  if (listed.origin.publisher != installed.origin.publisher) {
    return refusal("publisher_changed",
                   fmt::format("{}@{} was published by {} when it was installed, and is by {} now; "
                               "remove it and install it again if you trust them",
                               installed.origin.entry_id, installed.origin.marketplace,
                               installed.origin.publisher, listed.origin.publisher));
  }
  if (identityOf(listed.spec) != identityOf(installed.spec)) {
    return refusal("source_changed",
                   fmt::format("{}@{} came from {} when it was installed, and is listed as {} now; "
                               "remove it and install it again if you trust that",
                               installed.origin.entry_id, installed.origin.marketplace,
                               identityOf(installed.spec), identityOf(listed.spec)));
  }
  return listed;
}

}  // namespace svc::installs
