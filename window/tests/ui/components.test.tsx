import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";

import { ApiError } from "@/lib/api_error";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import {
  AlertDialog,
  Badge,
  Button,
  Checkbox,
  Dialog,
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
  EmptyState,
  ErrorNotice,
  IconButton,
  PluginIcon,
  TooltipProvider,
} from "@/ui";
import BottomDrawer from "@/ui/bottom_drawer";
import { CopyButton } from "@/ui/copy_button";

afterEach(cleanup);

describe("Button", () => {
  test("that is busy keeps the focus and refuses clicks, its form included", async () => {
    const onClick = vi.fn();
    const onSubmit = vi.fn((event: React.FormEvent) => event.preventDefault());
    render(
      <form onSubmit={onSubmit}>
        <Button type="submit" isBusy onClick={onClick}>
          Save
        </Button>
      </form>,
    );
    const button = screen.getByRole("button", { name: "Save" });
    button.focus();
    await userEvent.click(button);
    expect(onClick).not.toHaveBeenCalled();
    expect(onSubmit).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute("aria-busy")).toBe("true");
  });

  test("with an icon only has a name", () => {
    render(
      <TooltipProvider>
        <IconButton label="Close">x</IconButton>
      </TooltipProvider>,
    );
    expect(screen.getByRole("button", { name: "Close" })).toBeTruthy();
  });
});

describe("CopyButton", () => {
  const show = () =>
    render(
      <TooltipProvider>
        <CopyButton text="svc run" label="Copy the command" />
      </TooltipProvider>,
    );
  /** A window that was opened over http from another computer. */
  const withoutClipboard = (command: () => boolean) => {
    vi.stubGlobal("navigator", {});
    vi.stubGlobal("document", Object.assign(document, { execCommand: command }));
  };
  afterEach(() => {
    Reflect.deleteProperty(document, "execCommand");
    vi.unstubAllGlobals();
    clearNotifications();
  });

  test("copies by the older way where the browser has no clipboard", async () => {
    const setData = vi.fn();
    withoutClipboard(() => !document.dispatchEvent(Object.assign(new Event("copy", { cancelable: true }), { clipboardData: { setData } })));
    show();
    fireEvent.click(screen.getByRole("button", { name: "Copy the command" }));
    expect(await screen.findByText("Copied")).toBeTruthy();
    expect(setData).toHaveBeenCalledExactlyOnceWith("text/plain", "svc run");
  });

  test("says why nothing was copied", async () => {
    withoutClipboard(() => false);
    show();
    fireEvent.click(screen.getByRole("button", { name: "Copy the command" }));
    await waitFor(() => expect(notificationsNow()[0]?.description).toContain("over https or on this computer"));
  });
});

function WithDialog({ isMenu = false, onConfirm = () => undefined }: { isMenu?: boolean; onConfirm?: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isMenu ? (
        <DropdownMenu>
          <DropdownMenuTrigger>Menu</DropdownMenuTrigger>
          <DropdownMenuContent>
            <DropdownMenuItem onSelect={() => setOpen(true)}>Open</DropdownMenuItem>
          </DropdownMenuContent>
        </DropdownMenu>
      ) : (
        <button onClick={() => setOpen(true)}>Open</button>
      )}
      <Dialog open={isOpen} onOpenChange={setOpen} title="Title" description="What it is about">
        <button onClick={onConfirm}>Inside</button>
      </Dialog>
    </>
  );
}

describe("Dialog", () => {
  test("has name and description, takes the focus, and gives it back on Escape", async () => {
    const user = userEvent.setup();
    render(<WithDialog />);
    await user.click(screen.getByRole("button", { name: "Open" }));
    const dialog = screen.getByRole("dialog", { name: "Title" });
    expect(document.getElementById(dialog.getAttribute("aria-describedby")!)?.textContent).toBe("What it is about");
    expect(dialog.contains(document.activeElement)).toBe(true);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open" })));
  });

  test("that a menu opened gives the focus to the button of the menu", async () => {
    const user = userEvent.setup();
    render(<WithDialog isMenu />);
    screen.getByText("Menu").focus();
    await user.keyboard("{Enter}");
    await user.keyboard("{Enter}");
    await screen.findByRole("dialog");
    await user.keyboard("{Escape}");
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByText("Menu")));
  });
});

test("the drawer that a dialog is on compact viewports takes the focus, and gives it back on Escape", async () => {
  function WithDrawer() {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <button onClick={() => setOpen(true)}>Open</button>
        <BottomDrawer open={isOpen} onOpenChange={setOpen} title="Title">
          <button>Inside</button>
        </BottomDrawer>
      </>
    );
  }
  const user = userEvent.setup();
  render(<WithDrawer />);
  await user.click(screen.getByRole("button", { name: "Open" }));
  const drawer = await screen.findByRole("dialog", { name: "Title" });
  expect(drawer.contains(document.activeElement)).toBe(true);
  await user.keyboard("{Escape}");
  // Nothing moves here, so nothing says by itself that it has.
  fireEvent.animationEnd(drawer, { animationName: getComputedStyle(drawer).animationName });
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByText("Open")));
});

test("AlertDialog starts on Cancel and stays open while the action runs", async () => {
  const user = userEvent.setup();
  const onConfirm = vi.fn();
  const onOpenChange = vi.fn();
  render(<AlertDialog open onOpenChange={onOpenChange} title="Remove?" confirmLabel="Remove" isDestructive onConfirm={onConfirm} />);
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Cancel" }));
  await user.click(screen.getByRole("button", { name: "Remove" }));
  expect(onConfirm).toHaveBeenCalledOnce();
  expect(onOpenChange).not.toHaveBeenCalled();
});

describe("ErrorNotice", () => {
  test("shows the server's message with the request to look for", () => {
    render(<ErrorNotice title="It failed" error={new ApiError("Disk full", { code: "handler_error", status: 500, requestId: "r-7" })} />);
    expect(screen.getByRole("alert").textContent).toContain("Disk full");
    expect(screen.getByRole("alert").textContent).toContain("r-7");
  });

  test("says what to check when nothing answers, and offers to try again", async () => {
    const onRetry = vi.fn();
    render(<ErrorNotice title="It failed" error={new ApiError("x", { code: "network_error", status: 0 })} onRetry={onRetry} />);
    expect(screen.getByRole("alert").textContent).toContain("Is svcd still running?");
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(onRetry).toHaveBeenCalledOnce();
  });
});

describe("PluginIcon", () => {
  test.each([
    ["logo", { name: "Todo", logoUrl: "/api/v1/logo.svg", iconUrl: "/api/v1/icon.svg" }, "img"],
    ["icon, in the colour of the text", { name: "Todo", logoUrl: null, iconUrl: "/api/v1/icon.svg" }, "span"],
    ["first letter of the name", { name: "  über", icon: null, logoUrl: null, iconUrl: null }, "svg"],
  ])("is the %s", (_, record, tag) => {
    const { container } = render(<PluginIcon record={record} />);
    expect(container.firstElementChild?.tagName.toLowerCase()).toBe(tag);
    if (tag === "svg") {
      expect(container.textContent).toBe("Ü");
    }
  });

  test("is the icon of the window that the plugin names", async () => {
    const { container } = render(<PluginIcon record={{ name: "Money", icon: "Wallet", logoUrl: null, iconUrl: null }} />);
    await waitFor(() => expect(container.querySelector("svg svg.lucide-wallet")).not.toBeNull());
    expect(container.textContent).toBe("");
  });

  test("is the letter where the window has no icon of that name", async () => {
    const { container } = render(<PluginIcon record={{ name: "Money", icon: "NoSuchIcon", logoUrl: null, iconUrl: null }} />);
    await waitFor(() => expect(container.textContent).toBe("M"));
  });
});

describe("icons inside of controls", () => {
  test("are sized where they stand directly in it, not in what plugins render there", () => {
    render(
      <TooltipProvider>
        <Button>Save</Button>
        <IconButton label="Close" tooltip={false}>
          x
        </IconButton>
      </TooltipProvider>,
    );
    for (const button of screen.getAllByRole("button")) {
      expect(button.className).toContain("[&>svg]:size-4");
      expect(button.className).not.toContain("[&_svg]");
    }
  });

  test("of badges, empty states and checkboxes as well", () => {
    const own = (
      <b>
        <svg />
      </b>
    );
    const { container } = render(
      <>
        <Badge>{own}</Badge>
        <EmptyState title="Nothing" icon={own} />
        <Checkbox aria-label="All" checked />
        <Checkbox aria-label="None" checked={false} />
      </>,
    );
    expect(container.innerHTML).not.toContain("[&amp;_svg]");
    expect(container.innerHTML).toContain("[&amp;>svg]:size-3");
    expect(container.innerHTML).toContain("[&amp;>svg]:size-5");
    expect(screen.getByRole("checkbox", { name: "All" }).querySelectorAll("svg")).toHaveLength(1);
    expect(screen.getByRole("checkbox", { name: "None" }).querySelector("svg")).toBeNull();
  });
});
