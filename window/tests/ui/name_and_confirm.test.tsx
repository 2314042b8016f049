import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";

import { ConfirmDialog, NameDialog } from "@/ui";

afterEach(cleanup);

describe("a question", () => {
  const show = (onConfirm: () => Promise<void>) => {
    const onOpenChange = vi.fn();
    const onDone = vi.fn();
    render(
      <ConfirmDialog
        open
        onOpenChange={onOpenChange}
        title="Remove it?"
        description="It is gone then."
        confirmLabel="Remove"
        failureTitle="It could not be removed"
        onConfirm={onConfirm}
        onDone={onDone}
      />,
    );
    return { onOpenChange, onDone, confirm: () => userEvent.click(screen.getByRole("button", { name: "Remove" })) };
  };

  test("closes when it is done, and only then goes on", async () => {
    let finish: () => void = () => undefined;
    const { onOpenChange, onDone, confirm } = show(() => new Promise((resolve) => (finish = resolve)));
    await confirm();
    expect(screen.getByRole("button", { name: "Remove" }).getAttribute("aria-busy")).toBe("true");
    expect(onOpenChange).not.toHaveBeenCalled();
    finish();
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(onOpenChange).toHaveBeenCalledWith(false);
  });

  test("that fails says why, stays, and can be confirmed again", async () => {
    const onConfirm = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error("it is in use")).mockResolvedValueOnce(undefined);
    const { onOpenChange, onDone, confirm } = show(onConfirm);
    await confirm();
    expect((await screen.findByRole("alert")).textContent).toContain("It could not be removedit is in use");
    expect(onOpenChange).not.toHaveBeenCalled();
    await confirm();
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("a name", () => {
  const show = (onName: (name: string) => Promise<void>) => {
    const onClose = vi.fn();
    render(
      <NameDialog
        title="Rename it"
        label="Name"
        initial="old"
        confirmLabel="Rename"
        maxLength={5}
        check={(name) => (name === "" ? "Enter a name." : null)}
        onClose={onClose}
        onName={onName}
      />,
    );
    return { onClose, field: screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }) };
  };

  test("is checked before it is tried", async () => {
    const onName = vi.fn(() => Promise.resolve());
    const { field } = show(onName);
    await userEvent.clear(field);
    await userEvent.type(field, "{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("Enter a name.");
    expect(onName).not.toHaveBeenCalled();
  });

  test("that is refused stays in the field, with the reason; one that is taken closes the dialog", async () => {
    const onName = vi.fn((name: string) => (name === "newer" ? Promise.reject(new Error("it is taken")) : Promise.resolve()));
    const { field, onClose } = show(onName);
    await userEvent.clear(field);
    await userEvent.type(field, "newer than that{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("it is taken");
    expect(field.value).toBe("newer");
    expect(onClose).not.toHaveBeenCalled();
    await userEvent.clear(field);
    await userEvent.type(field, "new{Enter}");
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });
});
