import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

/** Whether there is an element or text besides the wrappers that mounts have. */
function hasContent(node: Node): boolean {
  return [...node.childNodes].some((child) =>
    child instanceof Element && !child.hasAttribute("data-svc-plugin-root")
      ? true
      : child instanceof Text
        ? child.data.trim() !== ""
        : hasContent(child),
  );
}

/**
 * A section that a plugin fills: `cqw` and `@container` of its styles refer to it. While its component renders nothing there is
 * neither heading nor gap.
 */
export function PluginSection({ labelledBy, heading, children }: { labelledBy?: string; heading?: ReactNode; children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null);
  const [isEmpty, setIsEmpty] = useState(false);
  useLayoutEffect(() => {
    const element = content.current!;
    const look = () => setIsEmpty(!hasContent(element));
    const observer = new MutationObserver(look);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    look();
    return () => observer.disconnect();
  }, []);
  return (
    <section aria-labelledby={labelledBy} hidden={isEmpty} className={isEmpty ? undefined : "flex min-w-0 flex-col gap-3"}>
      {heading}
      <div ref={content} className="@container min-w-0">
        {children}
      </div>
    </section>
  );
}
