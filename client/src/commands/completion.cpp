#include <ostream>
#include <string_view>

#include "commands/commands.h"
#include "exit_code.h"

namespace svc::client {
namespace {

// The scripts only carry words between the shell and `svc __complete`, which knows the commands and asks the server for
// names of plugins. So they never get out of date.
constexpr std::string_view kBash = R"sh(# bash completion of svc: source <(svc completion bash)
_svc() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :directories) compopt -o dirnames ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _svc svc
)sh";

constexpr std::string_view kZsh = R"sh(#compdef svc
# zsh completion of svc: svc completion zsh > "${fpath[1]}/_svc"
_svc() {
  local line
  local -a candidates
  for line in "${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files; return ;;
      :directories) _files -/; return ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe -t commands 'svc command' candidates
}
# Loaded by the first completion it is to answer, it answers it; sourced, it waits for one.
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of svc: svc completion fish | source
function __svc_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l current (commandline -ct)
  for line in ($program __complete $words "$current" 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path "$current"
      case ':directories'
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c svc -f -a '(__svc_complete)'
)sh";

}  // namespace

int completion(Context& context, const std::string& shell) {
  context.console.out << (shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
  return kExitOk;
}

}  // namespace svc::client
