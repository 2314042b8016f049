# shellcheck shell=bash
# The extended test of scripts/test --agents: official MCP clients and real agents against the dev build. Source it after common.sh.

# offline <command...>: without any network but a loopback of its own; what it leaves running ends with it.
offline() {
  local isolate=(unshare --net --pid --fork --kill-child --mount-proc)
  [ "$(id -u)" -eq 0 ] || isolate+=(--map-root-user)
  "${isolate[@]}" true 2>/dev/null ||
    die "this machine allows no network namespaces, which keep the agents from the network" \
      "Run it as root, or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"
  # shellcheck disable=SC2016
  "${isolate[@]}" sh -c 'ip link set lo up && exec "$@"' offline "$@"
}

# test_agents [clients|agents|threads|first_minutes|load|long]...: all of them without a name. SVC_AGENTS="codex qwen": only these agents.
test_agents() {
  local parts=("$@") files=() adapters=() part agent
  [ ${#parts[@]} -gt 0 ] || parts=(clients agents threads first_minutes load long)
  # Programs that speak ACP for agents that do not.
  for agent in ${SVC_AGENTS:-claude codex}; do
    case "$agent" in claude | codex) adapters+=("$agent-acp") ;; esac
  done
  for part in "${parts[@]}"; do
    [ -f "tests/agents/$part.test.mjs" ] || die "there is no tests/agents/$part.test.mjs"
    files+=("tests/agents/$part.test.mjs")
  done
  # shellcheck disable=SC2086
  node tests/agents/install.mjs node clients inspector ${SVC_AGENTS:-claude codex gemini opencode qwen copilot} "${adapters[@]}"
  export SVC_AGENTS
  # One after another: each starts servers and programs that take a whole processor.
  offline node --test --test-concurrency=1 --test-reporter=spec "${files[@]}"
}
