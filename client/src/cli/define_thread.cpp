#include "cli/define_thread.h"

namespace svc::client {
namespace {

constexpr const char* kEndsWith =
    "\nEnds with 0 when the turn is completed, with 1 when it failed, was refused or interrupted, "
    "or "
    "does not begin\n(its message was deleted from the queue, the thread was archived, nothing was "
    "said), and with 130 after Ctrl-C, which\nleaves the turn running; a second one ends the "
    "program "
    "at once. On a terminal it asks what the agent asks; elsewhere it\nsays how to answer. With "
    "--json every event is a line.";

void addView(CLI::App* command, ThreadView& view) {
  command->add_flag("--thoughts", view.thoughts, "Also what the agent thinks");
}

void addMessage(CLI::App* command, Invocation& in, ThreadMessage& message) {
  command->add_option("message", message.words,
                      "What to say; - or nothing with something piped in reads standard input");
  command->add_option("--model", message.model, "Model of the agent")->type_name("MODEL");
  command->add_option("--reasoning", message.reasoning, "How much it is to think")
      ->type_name("LEVEL");
  oneOf(in,
        command->add_option("--permissions", message.permissions, "What it may do unasked")
            ->type_name("MODE"),
        {"accept-edits", "auto", "full"});
  command->add_flag("--follow,-f", message.follow, "Show the turn until it ends");
  addView(command, message.view);
  command->footer(kEndsWith);
}

void addStart(CLI::App& thread, Invocation& in) {
  auto options = std::make_shared<ThreadStartOptions>();
  auto* const start = leaf(thread, in, "start", "Start a thread: give an agent something to do",
                           [options](Context& c) { return threadStart(c, *options); });
  addMessage(start, in, options->message);
  completes(in,
            start
                ->add_option("--project", options->project,
                             "Name or id of its project (default: the one of this directory)")
                ->type_name("PROJECT"),
            Completes::kProject);
  completes(in,
            start
                ->add_option("--provider", options->provider,
                             "Id of the agent (default: the one of the project, else the first)")
                ->type_name("PROVIDER"),
            Completes::kProvider);
  isName(start->add_option("--title", options->title, "What it is called")->type_name("TITLE"),
         kThreadTitle);
  auto* const environment =
      start
          ->add_option("--environment", options->environment,
                       "Work in this environment (name or id) instead of the project's folder")
          ->type_name("ENVIRONMENT");
  completes(in, environment, Completes::kEnvironment);
  auto* const worktree =
      start->add_flag("--worktree,-w", options->worktree, "Work in a new worktree")
          ->excludes(environment);
  start->add_option("--base", options->base, "Branch that the worktree begins at")
      ->type_name("BRANCH")
      ->needs(worktree);
  completes(in,
            start
                ->add_option("--machine", options->machine,
                             "Work on this machine (name or id; default: the server's own)")
                ->type_name("MACHINE")
                ->excludes(environment),
            Completes::kHost);
  completes(in,
            start->add_option("--folder", options->folder, "Work in this folder of the machine")
                ->type_name("FOLDER")
                ->excludes(environment)
                ->excludes(worktree),
            Completes::kDirectory);
  start->add_flag("--hidden", options->hidden, "Keep it out of lists");
}

void addTalking(CLI::App& thread, Invocation& in) {
  auto sent = std::make_shared<ThreadSendOptions>();
  auto* const send = leaf(thread, in, "send", "Say something in a thread",
                          [sent](Context& c) { return threadSend(c, *sent); });
  threadArgument(send, in, sent->thread);
  addMessage(send, in, sent->message);
  oneOf(in,
        send->add_option("--mode", sent->mode, "What to do while a turn runs (default: auto)")
            ->type_name("MODE"),
        {"start", "auto", "queue-if-active", "steer", "steer-if-active"});
  auto followed = std::make_shared<ThreadFollowOptions>();
  auto* const follow = leaf(thread, in, "follow", "Show the newest turn of a thread until it ends",
                            [followed](Context& c) { return threadFollow(c, *followed); });
  threadArgument(follow, in, followed->thread);
  follow->add_flag("--all,-a", followed->all, "Everything from the beginning of the thread");
  addView(follow, followed->view);
  follow->footer(kEndsWith);
  auto waited = std::make_shared<ThreadFollowOptions>();
  waited->view.quiet = true;
  auto* const wait =
      leaf(thread, in, "wait", "Wait until the newest turn of a thread has ended, in silence",
           [waited](Context& c) { return threadFollow(c, *waited); });
  threadArgument(wait, in, waited->thread);
  wait->footer(kEndsWith);
  auto retried = std::make_shared<ThreadRetryOptions>();
  auto* const retry = leaf(thread, in, "retry", "Try a turn again that failed or was interrupted",
                           [retried](Context& c) { return threadRetry(c, *retried); });
  threadArgument(retry, in, retried->thread);
  retry->add_option("--request", retried->request, "Id of its request (default: the newest)")
      ->type_name("REQUEST");
  retry->add_flag("--follow,-f", retried->follow, "Show the turn until it ends");
  addView(retry, retried->view);
  retry->footer(kEndsWith);
  threadLeaf(thread, in, "stop", "Stop the turn of a thread and release its agent", threadStop);
}

void addReading(CLI::App& thread, Invocation& in) {
  threadLeaf(thread, in, "output", "Print the last thing the agent said", threadOutput);
  auto events = std::make_shared<ThreadEventOptions>();
  auto* const shown = leaf(thread, in, "events", "Show the log of a thread",
                           [events](Context& c) { return threadEvents(c, *events); });
  threadArgument(shown, in, events->thread);
  shown->add_option("--after", events->after, "Only those behind this number")->type_name("SEQ");
  shown->add_option("--type", events->types, "Only of this type; may be given several times")
      ->type_name("TYPE");
  shown->add_option("--limit", events->limit, "Show at most so many (default: 100)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  shown->add_flag("--newest", events->newest, "The newest first");
}

void addAnswers(CLI::App& thread, Invocation& in) {
  threadLeaf(thread, in, "interactions", "Show what the agent of a thread asks",
             threadInteractions);
  auto options = std::make_shared<ThreadAnswerOptions>();
  auto* const answer = leaf(thread, in, "answer", "Answer what the agent of a thread asks",
                            [options](Context& c) { return threadAnswer(c, *options); });
  threadArgument(answer, in, options->thread);
  required(answer, in, "interaction", options->interaction, "Id of what is asked");
  auto* const words = answer->add_option(
      "answer", options->answers,
      "yes, always or no; to questions one answer each: a number, several with commas, or text, '' "
      "to leave an optional one out; to a plugin JSON");
  answer->add_flag("--cancel", options->cancel, "Give no answer")->excludes(words);
}

}  // namespace

CLI::Option* threadArgument(CLI::App* command, Invocation& in, std::string& thread) {
  return required(command, in, "thread", thread, "Id of a thread", Completes::kThread);
}

void threadLeaf(CLI::App& thread, Invocation& in, const char* name, const char* help,
                int (*run)(Context& context, const std::string& thread)) {
  auto id = std::make_shared<std::string>();
  threadArgument(leaf(thread, in, name, help, [id, run](Context& c) { return run(c, *id); }), in,
                 *id);
}

void addThread(CLI::App& app, Invocation& in) {
  auto& thread = group(app, "thread", "Threads: what you and agents say to each other");
  addThreadRecords(thread, in);
  addStart(thread, in);
  addTalking(thread, in);
  addReading(thread, in);
  addAnswers(thread, in);
  addThreadQueue(thread, in);
}

}  // namespace svc::client
