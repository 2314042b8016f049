#include "cli/definition.h"
#include "commands/commands.h"

namespace svc::client {
namespace {

using Run = int (*)(Context&, const FileOptions&);

struct Command {
  CLI::App* app;
  std::shared_ptr<FileOptions> options;
};

Command command(CLI::App& file, Invocation& in, const char* name, const char* help, Run run) {
  auto options = std::make_shared<FileOptions>();
  auto* const app =
      leaf(file, in, name, help, [options, run](Context& c) { return run(c, *options); });
  completes(in,
            app->add_option("--host", options->host,
                            "Machine (name or id); without it the server's own, where a relative "
                            "path begins in the working directory")
                ->type_name("HOST"),
            Completes::kHost);
  return {app, std::move(options)};
}

void pathOf(const Command& made, Invocation& in, const char* help) {
  required(made.app, in, "path", made.options->path, help, Completes::kFile);
}

}  // namespace

void addFile(CLI::App& app, Invocation& in) {
  auto& file = group(app, "file", "Files of machines");
  auto list = command(file, in, "list", "List the files below a directory", fileList);
  pathOf(list, in, "Directory");
  list.app->footer(
      "\nA line is a path without control characters, in a pipe too; --json has each as it is.");
  list.app
      ->add_option("--query,-q", list.options->query,
                   "Only paths with these characters, best first")
      ->type_name("TEXT");
  list.app
      ->add_option("--limit", list.options->limit, "At most so many (1 to 5000; 100 by default)")
      ->type_name("N")
      ->check(CLI::Range(1, 5000));

  pathOf(command(file, in, "read", "Print a file", fileRead), in, "File");

  auto write = command(file, in, "write", "Replace or create a file as a whole", fileWrite);
  pathOf(write, in, "File");
  completes(in,
            write.app
                ->add_option("--from", write.options->other,
                             "File of this machine with the content; without it standard input")
                ->type_name("FILE"),
            Completes::kFile);
  write.app
      ->add_option("--expect", write.options->expected,
                   "Only when the file has this SHA-256 now, or `none` when there must be none")
      ->type_name("SHA256");
  write.app->add_flag("--parents,-p", write.options->recursive, "Make the directories above it");

  auto mkdir = command(file, in, "mkdir", "Make a directory", fileMkdir);
  pathOf(mkdir, in, "Directory");
  mkdir.app->add_flag("--parents,-p", mkdir.options->recursive,
                      "Make the directories above it; fine when it is there");

  auto move = command(file, in, "move", "Move or rename a file or directory", fileMove);
  pathOf(move, in, "What is moved");
  required(move.app, in, "destination", move.options->other, "Where to; nothing may be there",
           Completes::kFile);

  auto remove = command(file, in, "remove", "Remove a file or an empty directory", fileRemove);
  pathOf(remove, in, "File or directory");
  remove.app->add_flag("--recursive,-r", remove.options->recursive,
                       "A directory with all below it");
  remove.app->add_flag("--yes,-y", remove.options->yes,
                       "Do not ask with -r; nothing is asked without it");
}

}  // namespace svc::client
