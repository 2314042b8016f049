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
  local line word i breaks='' head='' rest=$COMP_LINE
  local -a typed=()
  COMPREPLY=()
  # Bash parts words at @, = and :, too; what stands there without a blank between is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    line=${rest#"${rest%%[![:blank:]]*}"}
    if ((i > 0)) && [[ $line == "$rest" ]]; then typed[-1]+=$word; else typed+=("$word"); fi
    rest=${line#"$word"}
  done
  # A candidate replaces what follows the last = or :, and what begins with the last @.
  for word in = :; do [[ $COMP_WORDBREAKS != *"$word"* ]] || breaks+=$word; done
  word=${typed[-1]}
  [[ -z $breaks ]] || head=${word%"${word##*[$breaks]}"}
  line=${word#"$head"}
  [[ $COMP_WORDBREAKS != *@* || $line != *@* ]] || head+=${line%@*}
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :directories) compopt -o dirnames ;;
      *) word=${line%%$'\t'*} COMPREPLY+=("${word#"$head"}") ;;
    esac
  done < <("${typed[0]}" __complete "${typed[@]:1}" 2>/dev/null)
}
complete -F _svc svc
)sh";

constexpr std::string_view kZsh = R"sh(#compdef svc
# zsh completion of svc: svc completion zsh > "${fpath[1]}/_svc"
_svc() {
  local line
  local -a candidates files
  for line in "${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) files=(_files) ;;
      :directories) files=(_files -/) ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe -t commands 'svc command' candidates
  (( $#files )) && "${files[@]}"
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
