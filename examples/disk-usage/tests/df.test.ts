import { expect, test } from "vitest";

import { parseDf, readDisks } from "../df";

const kOutput = `Filesystem           1024-blocks      Used Available Capacity Mounted on
udev                     8000000         0   8000000       0% /dev
/dev/sda2              100000000  60000000  35000000      64% /
/dev/sda2              100000000  60000000  35000000      64% /var/lib/containers
tmpfs                    1600000      2000   1598000       1% /run
/dev/sdb1               50000000  49000000         0     100% /mnt/two words
nas:/share            2000000000 900000000 1100000000     45% /mnt/nas
/dev/fuse                      0         0         0       -  /run/user/1000/doc
`;

test("disks are listed once, by path; what holds no files is left out", () => {
  expect(parseDf(kOutput).map(({ path, device }) => [path, device])).toEqual([
    ["/", "/dev/sda2"],
    ["/mnt/nas", "nas:/share"],
    ["/mnt/two words", "/dev/sdb1"],
  ]);
  expect(parseDf(kOutput)[0]).toEqual({
    path: "/",
    device: "/dev/sda2",
    totalBytes: 100_000_000 * 1024,
    usedBytes: 60_000_000 * 1024,
    freeBytes: 35_000_000 * 1024,
  });
});

test("the root counts whatever it is called", () => {
  expect(parseDf("Filesystem 1024-blocks Used Available Capacity Mounted on\noverlay 10 4 6 40% /\n")).toHaveLength(1);
});

test("this machine has a root", async () => {
  expect((await readDisks(new AbortController().signal)).map(({ path }) => path)).toContain("/");
});

test("an aborted call ends", async () => {
  await expect(readDisks(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});
