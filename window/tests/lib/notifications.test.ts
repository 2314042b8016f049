import { afterEach, expect, test } from "vitest";

import {
  clearNotifications,
  dismissNotification,
  kNotificationLimit,
  markNotificationsRead,
  notificationsNow,
  recordNotification,
} from "@/lib/notifications";

afterEach(clearNotifications);

test("the newest come first and only so many are kept", () => {
  for (let index = 0; index < kNotificationLimit + 5; index++) {
    recordNotification({ kind: "info", title: `n${index}` });
  }
  expect(notificationsNow()).toHaveLength(kNotificationLimit);
  expect(notificationsNow()[0]?.title).toBe(`n${kNotificationLimit + 4}`);
});

test("they are unread until they were shown, and go one by one", () => {
  recordNotification({ kind: "error", title: "a", pluginId: "p" });
  recordNotification({ kind: "info", title: "b" });
  markNotificationsRead();
  expect(notificationsNow().every(({ isRead }) => isRead)).toBe(true);
  dismissNotification(notificationsNow()[0]!.id);
  expect(notificationsNow().map(({ title }) => title)).toEqual(["a"]);
});
