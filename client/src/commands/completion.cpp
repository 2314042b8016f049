#include <ostream>
#include <string_view>

#include "commands/commands.h"
#include "exit_code.h"

namespace svc::client {
namespace {

// Words of plugins come from the running server (`svc plugin list`, one head line per plugin); without one only the
// program's own words complete.
constexpr std::string_view kBash = R"sh(# bash completion of svc: source <(svc completion bash)
_svc_ids() { svc plugin list 2>/dev/null | sed -n 's/^\([^ ]*\)@.*/\1/p'; }
_svc_commands() { svc plugin list 2>/dev/null | sed -n 's/^  command: svc \([^ ]*\).*/\1/p'; }
_svc() {
  local word=${COMP_WORDS[COMP_CWORD]} words=
  case $COMP_CWORD in
    1) words="plugin server status completion help version --server --data-dir --json --no-color --help --version $(_svc_commands)" ;;
    2) case ${COMP_WORDS[1]} in
         plugin) words="install list show reload enable disable remove config token safe-mode top rpc logs run" ;;
         server) words="start stop restart logs" ;;
         completion) words="bash zsh fish" ;;
       esac ;;
    3) case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
         "plugin install") compopt -o dirnames; return ;;
         "plugin "*) words=$(_svc_ids) ;;
       esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _svc svc
)sh";

constexpr std::string_view kZsh = R"sh(#compdef svc
# zsh completion of svc: svc completion zsh > "${fpath[1]}/_svc"
_svc_ids() { compadd -- ${(f)"$(svc plugin list 2>/dev/null | sed -n 's/^\([^ ]*\)@.*/\1/p')"} }
_svc() {
  case $CURRENT in
    2) compadd -- plugin server status completion help version --server --data-dir --json --no-color --help --version \
         ${(f)"$(svc plugin list 2>/dev/null | sed -n 's/^  command: svc \([^ ]*\).*/\1/p')"} ;;
    3) case $words[2] in
         plugin) compadd -- install list show reload enable disable remove config token safe-mode top rpc logs run ;;
         server) compadd -- start stop restart logs ;;
         completion) compadd -- bash zsh fish ;;
       esac ;;
    4) case "$words[2] $words[3]" in
         "plugin install") _files -/ ;;
         "plugin "*) _svc_ids ;;
       esac ;;
  esac
}
compdef _svc svc
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of svc: svc completion fish | source
function __svc_ids; svc plugin list 2>/dev/null | string replace -rf '^([^ ]+)@.*' '$1'; end
function __svc_commands; svc plugin list 2>/dev/null | string replace -rf '^  command: svc ([^ ]+).*' '$1'; end
complete -c svc -f
complete -c svc -n __fish_use_subcommand -a 'plugin server status completion help version'
complete -c svc -n __fish_use_subcommand -a '(__svc_commands)'
complete -c svc -n '__fish_seen_subcommand_from plugin' -a 'install list show reload enable disable remove config token safe-mode top rpc logs run'
complete -c svc -n '__fish_seen_subcommand_from server' -a 'start stop restart logs'
complete -c svc -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c svc -n '__fish_seen_subcommand_from show reload enable disable remove config run' -a '(__svc_ids)'
complete -c svc -n '__fish_seen_subcommand_from install' -a '(__fish_complete_directories)'
complete -c svc -l server -r -d 'Address of the server'
complete -c svc -l data-dir -r -d 'Data directory of the server'
complete -c svc -l json -d 'Print the response envelope'
complete -c svc -l no-color -d 'No colours'
)sh";

}  // namespace

int completion(Context& context, const std::string& shell) {
  context.console.out << (shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
  return kExitOk;
}

}  // namespace svc::client
