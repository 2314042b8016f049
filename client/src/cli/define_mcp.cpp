#include "svc/base/text.h"
#include "svc/common/limits/mcp.h"

#include "cli/definition.h"
#include "commands/commands.h"
#include "mcp_setup/mcp_clients.h"

namespace svc::client {
namespace {

/// Blanks around the name of a token would never be seen: the server refuses them, too.
void isTokenName(CLI::Option* option) {
  isName(option, limits::kMcpTokenName);
  option->check([](const std::string& name) {
    return base::trimmed(name).size() == name.size() ? std::string()
                                                     : std::string("it has blanks around it");
  });
}

void addTokens(CLI::App& mcp, Invocation& in) {
  auto& token = group(mcp, "token", "Tokens of MCP clients");
  auto options = std::make_shared<McpTokenOptions>();
  auto* const create =
      leaf(token, in, "create", "Make a token and print its secret, which is shown this once",
           [options](Context& c) { return mcpTokenCreate(c, *options); });
  isTokenName(required(create, in, "name", options->name,
                       "What to call it, for example the client it is for"));
  completes(in,
            create
                ->add_option("--plugin", options->plugins,
                             "Only the tools and commands of this plugin; may be repeated")
                ->type_name("ID")
                ->expected(1)
                ->take_all(),
            Completes::kPlugin);
  create->add_option("--tool", options->tools, "Only this tool; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  leaf(token, in, "list", "Show the tokens, without their secrets", mcpTokenList);
  auto revoked = std::make_shared<std::string>();
  required(leaf(token, in, "revoke", "End a token, and what is open with it",
                [revoked](Context& c) { return mcpTokenRevoke(c, *revoked); }),
           in, "token", *revoked, "Id or name of a token");
}

void addSetup(CLI::App& mcp, Invocation& in) {
  auto options = std::make_shared<McpSetupOptions>();
  auto* const setup = leaf(mcp, in, "setup", "Show or write the configuration that a client needs",
                           [options](Context& c) { return mcpSetup(c, *options); });
  Words ids;
  for (const auto& kind : mcpClientKinds()) {
    ids.emplace_back(kind.id);
  }
  ids.emplace_back("generic");
  oneOf(in, argument(setup, in, "client", options->client, "A client; without one all are listed"),
        std::move(ids));
  auto* const write = setup->add_flag("--write", options->write,
                                      "Write it to the client's file instead of showing it");
  auto* const remove =
      setup->add_flag("--remove", options->remove, "Take it out of the client's file")
          ->excludes(write);
  setup->add_flag("--project", options->project,
                  "For the project in this directory instead of for you");
  setup
      ->add_flag("--http", options->http,
                 "The address of the server instead of the program `svc mcp`")
      ->excludes(remove);
  isTokenName(
      setup->add_option("--token", options->token, "Make a token of this name for the client")
          ->type_name("NAME")
          ->excludes(remove));
  setup->add_flag("--force", options->force,
                  "Replace another entry for the service, and a token of that name; with --remove "
                  "also one written by hand");
}

}  // namespace

void addMcp(CLI::App& app, Invocation& in) {
  auto* const mcp =
      leaf(app, in, "mcp", "Connect an MCP client that starts programs (stdio)", mcpBridge);
  mcp->require_subcommand(0, 1);
  mcp->footer("The token of the client, when it has one, comes from the variable SVC_MCP_TOKEN.");
  addSetup(*mcp, in);
  leaf(*mcp, in, "status", "Show the endpoint and the clients that use it", mcpStatus);
  addTokens(*mcp, in);
}

}  // namespace svc::client
