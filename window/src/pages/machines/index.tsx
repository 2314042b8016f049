import { useParams } from "react-router";

import { useFollowHosts } from "@/api/hosts";
import { useFollowTerminals } from "@/api/terminals";

import { MachineDetail } from "./machine_detail";
import { MachineList } from "./machine_list";

/** `/settings/machines`, and one of them. */
export default function MachinesPage() {
  const { hostId } = useParams();
  useFollowHosts();
  useFollowTerminals();
  return hostId === undefined ? <MachineList /> : <MachineDetail hostId={hostId} />;
}
