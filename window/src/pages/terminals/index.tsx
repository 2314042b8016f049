import { useParams } from "react-router";

import { useFollowHosts } from "@/api/hosts";
import { useFollowTerminals } from "@/api/terminals";

import { TerminalPage } from "./terminal_page";

/** `/terminals/:terminalId`. */
export default function TerminalsPage() {
  const { terminalId = "" } = useParams();
  useFollowHosts();
  useFollowTerminals();
  return <TerminalPage key={terminalId} terminalId={terminalId} />;
}
