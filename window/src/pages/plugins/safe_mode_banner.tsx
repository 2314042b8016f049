import type { ReactNode } from "react";
import { Link } from "react-router";

import { useSafeMode } from "@/api/queries";
import { paths } from "@/lib/navigation";
import { Banner, Button } from "@/ui";

import { dismissSafeModeProblems, SafeModeQuestion, switchSafeMode, useSafeModeState } from "./safe_mode";
import { statusName } from "./status";

/** Stands above every page while safe mode is on, and lists what did not start after it; otherwise renders nothing visible. */
export function SafeModeBanner(): ReactNode {
  const safeMode = useSafeMode();
  const { changingTo, problems } = useSafeModeState();
  const isOn = safeMode.data?.enabled === true;
  return (
    <>
      <SafeModeQuestion />
      {isOn && (
        <Banner
          tone="warning"
          role="status"
          title="Safe mode is on"
          className="rounded-none border-x-0 border-t-0"
          actions={
            <Button size="sm" isBusy={changingTo !== null} onClick={() => void switchSafeMode(false)}>
              Turn off
            </Button>
          }
        >
          Plugins are stopped, except those that are part of the service.
        </Banner>
      )}
      {!isOn && problems.length > 0 && (
        <Banner
          tone="error"
          role="status"
          title="These plugins did not start after safe mode"
          className="rounded-none border-x-0 border-t-0"
          actions={
            <Button size="sm" onClick={dismissSafeModeProblems}>
              Dismiss
            </Button>
          }
        >
          <ul>
            {problems.map(({ id, status, statusDetail }) => (
              <li key={id}>
                <Link to={paths.pluginDetail(id)} className="underline underline-offset-4">
                  {id}
                </Link>
                {": "}
                {statusName(status)}
                {statusDetail !== null && ` – ${statusDetail}`}
              </li>
            ))}
          </ul>
        </Banner>
      )}
    </>
  );
}
