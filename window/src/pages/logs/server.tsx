import { kServerLog } from "./log_model";
import { LogView } from "./log_view";

/** `/settings/log`: what the server and all its plugins write. */
export default function ServerLogPage() {
  return (
    <LogView
      source={kServerLog}
      title="Log"
      fileName="svc"
      whatAppears="What the server and all plugins write appears here, from level info on unless log.level says otherwise."
    />
  );
}
