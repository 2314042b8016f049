// Looking into a plugin: its inspector, CPU profiles, heap snapshots.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "progress.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;
using std::chrono::seconds;

/// Beside the recording itself: a busy plugin answers late, and a large heap takes minutes.
constexpr auto kAnswerWait = seconds(60);
constexpr auto kHeapWait = seconds(600);

/// `<id>-<time><ending>` without what a file name should not have.
std::string fileName(const Context& context, const std::string& id, const std::string& given,
                     const char* ending) {
  if (!given.empty()) {
    return given;
  }
  auto name = id + "-" + formatTime(context.now());
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '-';
  }
  return name + ending;
}

fs::path placeOf(const Context& context, const std::string& file) {
  return context.environment.working_dir / file;
}

int cannotWrite(const Console& console, const fs::path& path) {
  console.fail(Error{errc::kUnavailable, "cannot write " + path.string()},
               "choose another file with -o");
  return kExitFailure;
}

int reportWritten(const Console& console, const std::string& file, std::uintmax_t bytes,
                  const char* use) {
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("file", file)
                       .set("bytes", static_cast<std::int64_t>(bytes))
                       .dump()
                << '\n';
  } else {
    console.out << file << '\n';
    console.err << use;
  }
  return kExitOk;
}

/// A name beside the file that nothing has yet.
fs::path freshName(const fs::path& file, const std::string& suffix) {
  auto name = file;
  name += suffix;
  std::error_code ignored;
  for (int number = 2; fs::exists(fs::symlink_status(name, ignored)); ++number) {
    name = file;
    name += fmt::format("{}-{}", suffix, number);
  }
  return name;
}

}  // namespace

int pluginInspect(Context& context, const std::string& id, const InspectOptions& options) {
  const auto& console = context.console;
  if (options.close) {
    return request(
        context, {"DELETE", pluginPath(id, "/inspector"), ""}, [&](const Json& envelope) {
          if (!console.json) {
            console.out << (envelope["wasOpen"].asBool() ? "Closed.\n" : "It was not open.\n");
          }
          return static_cast<int>(kExitOk);
        });
  }
  return request(context, {"POST", pluginPath(id, "/inspector"), "{}"}, [&](const Json& envelope) {
    if (!console.json) {
      console.out << oneLine(envelope["devtoolsUrl"].asString()) << '\n';
      console.err << "Open it in Chrome or Edge, or attach another debugger to "
                  << oneLine(envelope["url"].asString())
                  << "\nWhoever connects controls the plugin; `svc plugin inspect " << oneLine(id)
                  << " --close` closes it.\n";
    }
    return static_cast<int>(kExitOk);
  });
}

int pluginProfile(Context& context, const std::string& id, const ProfileOptions& options) {
  const auto& console = context.console;
  const auto file = fileName(context, id, options.file, ".cpuprofile");
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  Progress progress(console);
  progress.show(fmt::format("recording {} for {} s", id, options.seconds));
  const auto reply = api.value().call({"POST", pluginPath(id, "/profile"),
                                       fmt::format(R"({{"seconds":{}}})", options.seconds),
                                       seconds(options.seconds) + kAnswerWait});
  progress.clear();
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto path = placeOf(context, file);
  const auto text = reply.value().json["profile"].dump();
  std::ofstream out(path, std::ios::binary);
  if (!(out << text << std::flush)) {
    return cannotWrite(console, path);
  }
  return reportWritten(console, file, text.size(),
                       "Open it in DevTools (Performance), or in an editor.\n");
}

int pluginHeap(Context& context, const std::string& id, const std::string& given) {
  const auto& console = context.console;
  const auto file = fileName(context, id, given, ".heapsnapshot");
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto path = placeOf(context, file);
  // A file that is only there when it is whole.
  const auto partial = freshName(path, ".partial");
  std::ofstream out(partial, std::ios::binary);
  if (!out) {
    return cannotWrite(console, path);
  }
  if (!console.json) {
    console.err << "The plugin stands still until its heap is written.\n";
  }
  HttpRequest ask{"POST", pluginPath(id, "/heap-snapshot"), "{}", kHeapWait};
  ask.save = &out;
  const auto answer = api.value().raw(ask);
  out.close();
  std::error_code failed;
  if (!answer || answer.value().status != 200) {
    fs::remove(partial, failed);
    if (!answer) {
      return reportNoAnswer(console, answer.error());
    }
    const auto reply = api.value().envelopeOf(answer.value());
    return reply ? reportFailure(console, reply.value()) : reportNoAnswer(console, reply.error());
  }
  const auto bytes = fs::file_size(partial, failed);
  if (!failed && out) {
    fs::rename(partial, path, failed);
  }
  if (failed || !out) {
    fs::remove(partial, failed);
    return cannotWrite(console, path);
  }
  return reportWritten(console, file, bytes, "Open it in DevTools (Memory, Load).\n");
}

}  // namespace svc::client
