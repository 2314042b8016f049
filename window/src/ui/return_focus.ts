import { useRef } from "react";

import { focusMain } from "@/lib/main_region";

/** What had the focus when a layer opened: the control itself, and for an entry of a menu the button that opened the menu. */
function openerOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]');
  const trigger = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : null;
  return trigger ?? (element instanceof HTMLElement && element !== document.body ? element : null);
}

/**
 * Gives the focus back when a layer closes. The dialogs of the window are opened by state, and the primitive returns the
 * focus only to a trigger of its own. What opened the layer may be gone by then: the page's heading takes the focus instead.
 */
export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  if (isOpen && !wasOpen.current) {
    opener.current = openerOf(document.activeElement);
  }
  wasOpen.current = isOpen;
  return (event) => {
    event.preventDefault();
    if (opener.current?.isConnected === true) {
      opener.current.focus();
    } else {
      focusMain();
    }
  };
}
