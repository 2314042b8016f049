#include "cli/define_thread.h"

namespace svc::client {
namespace {

void addListing(CLI::App& thread, Invocation& in) {
  auto options = std::make_shared<ThreadListOptions>();
  auto* const list = leaf(thread, in, "list", "Show the threads, newest activity first",
                          [options](Context& c) { return threadList(c, *options); });
  completes(in,
            list->add_option("--project", options->project, "Only of this project (name or id)")
                ->type_name("PROJECT"),
            Completes::kProject);
  completes(in,
            list->add_option("--parent", options->parent, "Only those below this thread")
                ->type_name("THREAD"),
            Completes::kThread);
  list->add_flag("--archived", options->archived, "Those that are archived instead");
  list->add_flag("--hidden", options->hidden, "Also those that are hidden");
  list->add_option("--limit", options->limit, "Show at most so many (1 to 1000; 1000 by default)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  list->add_option("--skip", options->skip, "Leave out so many before them")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  threadLeaf(thread, in, "show", "Show a thread", threadShow);
  auto sought = std::make_shared<ThreadSearchOptions>();
  auto* const search = leaf(thread, in, "search", "Find threads by what was said in them",
                            [sought](Context& c) { return threadSearch(c, *sought); });
  required(search, in, "query", sought->query, "Text to look for");
  search
      ->add_option("--limit", sought->limit,
                   "At most so many, and as many that are archived (1 to 100; 20 by default)")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
}

void addKeeping(CLI::App& thread, Invocation& in) {
  auto id = std::make_shared<std::string>();
  auto change = std::make_shared<ThreadChange>();
  auto* const update =
      leaf(thread, in, "update", "Change the title of a thread, and what its next turn uses",
           [id, change](Context& c) { return threadUpdate(c, *id, *change); });
  threadArgument(update, in, *id);
  isName(update->add_option("--title", change->title, "Its title; empty takes it away")
             ->type_name("TITLE"),
         kThreadTitle);
  update->add_option("--section", change->section, "Id of its section; empty takes it out")
      ->type_name("SECTION");
  update->add_option("--model", change->model, "Model of its next turn")->type_name("MODEL");
  update->add_option("--reasoning", change->reasoning, "How much its agent is to think")
      ->type_name("LEVEL");
  threadLeaf(thread, in, "archive", "Archive a thread and those below it; their turns are stopped",
             threadArchive);
  threadLeaf(thread, in, "unarchive", "Take a thread out of the archive", threadUnarchive);
  auto gone = std::make_shared<std::string>();
  auto yes = std::make_shared<bool>(false);
  auto* const remove = leaf(thread, in, "delete", "Delete a thread and those below it",
                            [gone, yes](Context& c) { return threadDelete(c, *gone, *yes); });
  threadArgument(remove, in, *gone);
  remove->add_flag("--yes,-y", *yes, "Do not ask");
  auto forked = std::make_shared<ThreadForkOptions>();
  auto* const fork = leaf(thread, in, "fork", "Make a copy of a thread that goes its own way",
                          [forked](Context& c) { return threadFork(c, *forked); });
  threadArgument(fork, in, forked->thread);
  fork->add_option("message", forked->words, "What to say there");
  isName(fork->add_option("--title", forked->title, "What it is called")->type_name("TITLE"),
         kThreadTitle);
  fork->add_flag("--isolated", forked->isolated, "In an environment of its own");
}

}  // namespace

void addThreadRecords(CLI::App& thread, Invocation& in) {
  addListing(thread, in);
  addKeeping(thread, in);
}

void addThreadQueue(CLI::App& thread, Invocation& in) {
  auto& queue = group(thread, "queue", "Messages that wait for their turn");
  threadLeaf(queue, in, "list", "Show the messages that wait", threadQueueList);
  struct Arguments {
    std::string thread{};
    std::string message{};
    std::string behind{};
    std::vector<std::string> words{};
    bool steer = false;
  };
  const auto command = [&](const char* name, const char* help,
                           int (*run)(Context&, const Arguments&), bool of_message) {
    auto given = std::make_shared<Arguments>();
    auto* const made =
        leaf(queue, in, name, help, [given, run](Context& c) { return run(c, *given); });
    threadArgument(made, in, given->thread);
    if (of_message) {
      required(made, in, "queued", given->message, "Id of a message that waits");
    }
    return std::pair(made, given);
  };
  const auto [add, added] = command(
      "add", "Let a message wait",
      [](Context& c, const Arguments& a) { return threadQueueAdd(c, a.thread, a.words); }, false);
  add->add_option("message", added->words, "What to say; - reads standard input");
  const auto [edit, edited] = command(
      "edit", "Change a message that waits",
      [](Context& c, const Arguments& a) {
        return threadQueueEdit(c, a.thread, a.message, a.words);
      },
      true);
  edit->add_option("message", edited->words, "What to say instead; - reads standard input");
  command(
      "delete", "Delete a message that waits",
      [](Context& c, const Arguments& a) { return threadQueueRemove(c, a.thread, a.message); },
      true);
  const auto [send, sent] = command(
      "send", "Send a message that waits now",
      [](Context& c, const Arguments& a) {
        return threadQueueSend(c, a.thread, a.message, a.steer);
      },
      true);
  send->add_flag("--steer", sent->steer, "Before all others, as auto does");
  const auto [move, moved] = command(
      "move", "Move a message to the front, or behind another",
      [](Context& c, const Arguments& a) {
        return threadQueueMove(c, a.thread, a.message, a.behind);
      },
      true);
  move->add_option("--behind", moved->behind, "Id of the message to be before it")->type_name("ID");
}

void addProvider(CLI::App& app, Invocation& in) {
  auto& provider = group(app, "provider", "Agents that threads can have");
  const auto onMachine = [&in](CLI::App* command, std::string& machine) {
    completes(in,
              command
                  ->add_option("--machine", machine,
                               "As this machine has them (name or id; default: the server's own)")
                  ->type_name("MACHINE"),
              Completes::kHost);
  };
  auto listed = std::make_shared<std::string>();
  onMachine(leaf(provider, in, "list", "Show the agents",
                 [listed](Context& c) { return providerList(c, *listed); }),
            *listed);
  auto chosen = std::make_shared<std::string>();
  auto machine = std::make_shared<std::string>();
  auto* const models =
      leaf(provider, in, "models", "Show the models of an agent",
           [chosen, machine](Context& c) { return providerModels(c, *chosen, *machine); });
  argument(models, in, "provider", *chosen, "Id of an agent (default: the first)",
           Completes::kProvider);
  onMachine(models, *machine);
}

}  // namespace svc::client
