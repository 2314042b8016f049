import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";

import { notify } from "@/lib/notifications";

import { Button, IconButton } from "./button";

/** How long a button says that it has copied, in milliseconds. */
const kCopiedFor = 2000;

/** The way of before there was a clipboard: browsers have that on https and on this computer only. Works while a click is handled. */
function copyByCommand(text: string): boolean {
  let isTaken = false;
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    event.stopPropagation();
    isTaken = event.clipboardData !== null;
  };
  document.addEventListener("copy", give, { capture: true });
  try {
    return document.execCommand("copy") && isTaken;
  } finally {
    document.removeEventListener("copy", give, { capture: true });
  }
}

async function copyText(text: string): Promise<void> {
  if (!("clipboard" in navigator)) {
    if (copyByCommand(text)) {
      return;
    }
    throw new Error("The browser allows copying only over https or on this computer. Select the text and copy it yourself.");
  }
  await navigator.clipboard.writeText(text);
}

export interface CopyButtonProps {
  /** A function is called when the button is. */
  text: string | (() => string);
  /** Says what is copied. */
  label: string;
  /** Shows the label beside the icon. */
  isLabelled?: boolean;
  disabled?: boolean;
}

/** What copies a text, and whether it did so just now. A failure is told. */
export function useCopy(): { isCopied: boolean; copy(this: void, text: string): Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) {
      return;
    }
    const timer = setTimeout(() => setCopied(false), kCopiedFor);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async (text: string) => {
    try {
      await copyText(text);
      setCopied(true);
    } catch (error) {
      notify({ kind: "error", title: "Could not copy", description: error instanceof Error ? error.message : String(error) });
    }
  };
  return { isCopied, copy };
}

export function CopyButton({ text, label, isLabelled = false, disabled = false }: CopyButtonProps) {
  const { isCopied, copy } = useCopy();
  const onClick = () => void copy(typeof text === "string" ? text : text());
  const icon = isCopied ? <Check aria-hidden /> : <Copy aria-hidden />;
  return (
    <>
      {isLabelled ? (
        <Button size="sm" disabled={disabled} onClick={onClick}>
          {icon}
          {label}
        </Button>
      ) : (
        <IconButton size="sm" label={label} disabled={disabled} onClick={onClick}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}
