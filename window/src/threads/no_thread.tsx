import { useEffect, useId, useRef, useState } from "react";

import { keepDraft, loadDraft } from "@/composer/draft_store";
import { navigation, paths } from "@/lib/navigation";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy_button";
import { EmptyState } from "@/ui/empty_state";
import { Textarea } from "@/ui/input";
import { draftKeyOf } from "./thread_composer";

/** In place of a thread that the service does not have, or does not have any more. What was being written in it is offered. */
export function NoThread({ threadId, wasThere }: { threadId: string; wasThere: boolean }) {
  const [draft] = useState(() => loadDraft(draftKeyOf(threadId)));
  const fieldId = useId();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Whoever was writing has lost the field.
    if (wasThere && document.activeElement === document.body) {
      (place.current?.querySelector("textarea") ?? place.current?.querySelector("button"))?.focus();
    }
  }, [wasThere]);
  const text = draft?.text.trim() ?? "";
  const startAnew = () => {
    keepDraft(draftKeyOf(threadId), { text: "", mentions: [], attachments: [] });
    navigation.toCompose({ initialPrompt: text, focusPrompt: true });
  };
  return (
    <div ref={place}>
      <div role={wasThere ? "alert" : undefined}>
        <EmptyState
          title={wasThere ? "This thread has been deleted" : "This thread is not here"}
          description={
            wasThere
              ? "Its messages went with it. What its agent has changed in files is where it was."
              : "It may have been deleted, or the address belongs to another server."
          }
          actions={<Button onClick={() => navigation.to(paths.threads())}>All threads</Button>}
        />
      </div>
      {text !== "" && (
        <div className="mx-auto flex max-w-md flex-col gap-2 px-4 pb-12">
          <label htmlFor={fieldId} className="text-xs font-medium text-muted-foreground">
            What you had written here
          </label>
          <Textarea id={fieldId} readOnly rows={6} value={text} />
          <div className="flex flex-wrap items-center justify-end gap-2">
            <CopyButton isLabelled label="Copy what you had written" text={text} />
            <Button size="sm" variant="primary" onClick={startAnew}>
              Start a new thread with it
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
