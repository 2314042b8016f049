#include "cli/definition.h"
#include "cli/log_options.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

void addRpc(CLI::App& plugin, Invocation& in) {
  struct Arguments {
    std::string id;
    std::string method;
    RpcInput input;
  };
  auto args = std::make_shared<Arguments>();
  auto& rpc = group(plugin, "rpc", "Call the methods of plugins");
  argument(leaf(rpc, in, "list", "Show published methods; of one plugin, all it has",
                [args](Context& c) { return pluginRpcList(c, args->id); }),
           in, "id", args->id, "Plugin id", Completes::kPlugin);
  auto* const inspect =
      leaf(rpc, in, "inspect", "Show the schemas of a plugin's methods",
           [args](Context& c) { return pluginRpcInspect(c, args->id, args->method); });
  required(inspect, in, "id", args->id, "Plugin id", Completes::kPlugin);
  argument(inspect, in, "method", args->method, "Method", Completes::kMethod);
  auto* const call =
      leaf(rpc, in, "call", "Call a method and print its result as JSON",
           [args](Context& c) { return pluginRpcCall(c, args->id, args->method, args->input); });
  required(call, in, "id", args->id, "Plugin id", Completes::kPlugin);
  required(call, in, "method", args->method, "Method", Completes::kMethod);
  auto* const json =
      freeText(call, in, "input", args->input.json, "Input as JSON; none when left out");
  completes(in,
            call->add_option("--input-file", args->input.file,
                             "Read the input from a file; - is standard input")
                ->type_name("FILE")
                ->excludes(json),
            Completes::kFile);
}

void addTool(CLI::App& plugin, Invocation& in) {
  struct Arguments {
    std::string id;
    std::string name;
    ToolInput input;
  };
  auto args = std::make_shared<Arguments>();
  auto& tool = group(plugin, "tool", "Try the tools that plugins have for agents");
  argument(leaf(tool, in, "list", "Show the tools of all plugins or of one",
                [args](Context& c) { return pluginToolList(c, args->id); }),
           in, "id", args->id, "Plugin id", Completes::kPlugin);
  auto* const inspect =
      leaf(tool, in, "inspect", "Show what tools take and how they were called",
           [args](Context& c) { return pluginToolInspect(c, args->id, args->name); });
  required(inspect, in, "id", args->id, "Plugin id", Completes::kPlugin);
  argument(inspect, in, "name", args->name, "Tool", Completes::kTool);
  auto* const call =
      leaf(tool, in, "call", "Call a tool as an agent does and print its result",
           [args](Context& c) { return pluginToolCall(c, args->id, args->name, args->input); });
  required(call, in, "id", args->id, "Plugin id", Completes::kPlugin);
  required(call, in, "name", args->name, "Tool", Completes::kTool);
  auto* const json = freeText(call, in, "arguments", args->input.arguments.json,
                              "Arguments as a JSON object; none when left out");
  completes(in,
            call->add_option("--input-file", args->input.arguments.file,
                             "Read the arguments from a file; - is standard input")
                ->type_name("FILE")
                ->excludes(json),
            Completes::kFile);
  completes(in,
            call->add_option("-o,--output", args->input.image,
                             "File for an image of the result (default: it is only named)")
                ->type_name("FILE"),
            Completes::kFile);
  call->footer("\nCtrl-C ends the call. On a terminal stderr shows the progress of the tool.");
}

void addTop(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<TopOptions>();
  auto* const top = leaf(plugin, in, "top", "Show what each plugin uses, again and again",
                         [options](Context& c) { return pluginTop(c, *options); });
  auto* const once = top->add_flag("--once", options->once, "Show it once");
  constexpr int kLongest = 3600;
  top->add_option("--interval", options->interval, "Seconds between two looks (default: 2)")
      ->check(CLI::Range(1, kLongest))
      ->type_name("S")
      ->excludes(once);
}

void addLogs(CLI::App& plugin, Invocation& in) {
  auto options = std::make_shared<LogOptions>();
  auto* const logs = pluginLeaf(
      plugin, in, "logs", "Show a plugin's log",
      [options](Context& c, const std::string& id) { return pluginLogs(c, id, *options); });
  addLogOptions(logs, *options);
  oneOf(in,
        logs->add_option("--level", options->level,
                         "Lowest level to show: debug, info, warn or error")
            ->type_name("LEVEL"),
        {"debug", "info", "warn", "error"});
}

void addProfilers(CLI::App& plugin, Invocation& in) {
  auto inspect = std::make_shared<InspectOptions>();
  auto* const inspector = pluginLeaf(
      plugin, in, "inspect", "Open a plugin's inspector for DevTools and print its address",
      [inspect](Context& c, const std::string& id) { return pluginInspect(c, id, *inspect); });
  inspector->add_flag("--close", inspect->close, "Close it again");
  inspector->footer(
      "\nWhoever connects controls the plugin, so the inspector listens on this machine only.\n"
      "It closes when the plugin is reloaded or disabled.");
  auto profile = std::make_shared<ProfileOptions>();
  auto* const profiler = pluginLeaf(
      plugin, in, "profile", "Record where a plugin spends its time",
      [profile](Context& c, const std::string& id) { return pluginProfile(c, id, *profile); });
  constexpr int kLongest = 60;
  profiler->add_option("--seconds", profile->seconds, "How long to record, 1 to 60 (default: 5)")
      ->check(CLI::Range(1, kLongest))
      ->type_name("N");
  const auto file = [&in](CLI::App* command, std::string& value, const char* help) {
    completes(in, command->add_option("-o,--output", value, help)->type_name("FILE"),
              Completes::kFile);
  };
  file(profiler, profile->file, "File to write (default: <id>-<time>.cpuprofile)");
  auto heap = std::make_shared<std::string>();
  auto* const snapshot =
      pluginLeaf(plugin, in, "heap", "Write what a plugin keeps in memory; pauses it meanwhile",
                 [heap](Context& c, const std::string& id) { return pluginHeap(c, id, *heap); });
  file(snapshot, *heap, "File to write (default: <id>-<time>.heapsnapshot)");
}

}  // namespace

void addLogOptions(CLI::App* command, LogOptions& options) {
  command->add_option("-n,--lines", options.lines, "Newest lines to show (default: 100)")
      ->check(CLI::Range(0, 10'000))
      ->type_name("N");
  command->add_flag("-f,--follow", options.follow, "Keep showing new lines");
}

void addPluginTools(CLI::App& plugin, Invocation& in) {
  addTop(plugin, in);
  addLogs(plugin, in);
  addRpc(plugin, in);
  addTool(plugin, in);
  addProfilers(plugin, in);
}

}  // namespace svc::client
