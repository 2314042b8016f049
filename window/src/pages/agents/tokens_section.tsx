import Plus from "lucide-react/icons/plus";
import { useState } from "react";

import { type McpToken, revokeMcpToken, useMcpTokens } from "@/api/mcp";
import { focusMain } from "@/lib/main_region";
import { notify } from "@/lib/notifications";
import { TimeAgo } from "@/ui/time_ago";
import { Button, Card, ConfirmDialog, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

import { TokenDialog } from "./token_dialog";

/** The tokens that clients may have. */
export function TokensSection() {
  const tokens = useMcpTokens();
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<McpToken | null>(null);
  return (
    <Section
      title="Tokens"
      description="Clients of yours on this computer need none. A token tells a client apart, keeps it to some plugins, and can be revoked."
      actions={
        <Button onClick={() => setCreating(true)}>
          <Plus aria-hidden />
          New token
        </Button>
      }
    >
      {tokens.data !== undefined ? (
        <Card>
          {tokens.data.length === 0 ? (
            <EmptyState title="No tokens" description="Make one for a client that is to see only some of your tools." />
          ) : (
            <ul aria-label="Tokens" className="divide-y divide-border-hairline">
              {tokens.data.map((token) => (
                <li key={token.id} className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
                  <div className="min-w-0 flex-1 basis-48">
                    <p className="text-sm font-medium wrap-anywhere">{token.name}</p>
                    <p className="text-xs text-muted-foreground wrap-anywhere">
                      {scopeOf(token)} ·{" "}
                      {token.lastUsedAt === null ? (
                        "never used"
                      ) : (
                        <>
                          used <TimeAgo at={token.lastUsedAt} />
                        </>
                      )}
                    </p>
                  </div>
                  <Button size="sm" onClick={() => setRevoking(token)} aria-label={`Revoke ${token.name}`}>
                    Revoke…
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Card>
      ) : tokens.isError ? (
        <ErrorNotice
          title="The tokens could not be read"
          error={tokens.error}
          onRetry={() => void tokens.refetch()}
          isRetrying={tokens.isFetching}
        />
      ) : (
        <Loading />
      )}
      <TokenDialog open={isCreating} onOpenChange={setCreating} />
      {revoking !== null && <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

function scopeOf({ restricted, plugins, tools }: McpToken): string {
  if (!restricted) {
    return "everything";
  }
  return [...plugins.map((id) => `plugin ${id}`), ...tools.map((name) => `tool ${name}`)].join(", ") || "nothing";
}

function RevokeDialog({ token, onClose }: { token: McpToken; onClose(): void }) {
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Revoke ${token.name}?`}
      description="The client that has it is refused from now on. Calls and streams that are open with it end at once."
      confirmLabel="Revoke"
      failureTitle="It could not be revoked"
      onConfirm={async () => {
        await revokeMcpToken(token.id);
        notify({ kind: "success", title: `Revoked ${token.name}` });
      }}
      onDone={focusMain}
    />
  );
}
