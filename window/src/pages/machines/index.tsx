import { useParams } from "react-router";

import { type Host, useFollowHosts, useHosts } from "@/api/hosts";
import { useFollowTerminals } from "@/api/terminals";
import { ToldMachines } from "@/files/told_machines";

import { MachineDetail } from "./machine_detail";
import { MachineList } from "./machine_list";

const kNone: readonly Host[] = [];

/** `/settings/machines`, and one of them. */
export default function MachinesPage() {
  const { hostId } = useParams();
  useFollowHosts();
  useFollowTerminals();
  const hosts = useHosts().data ?? kNone;
  return (
    <>
      <ToldMachines hosts={hosts} />
      {hostId === undefined ? <MachineList /> : <MachineDetail hostId={hostId} />}
    </>
  );
}
