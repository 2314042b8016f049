import { useParams } from "react-router";

import { useFollowHosts } from "@/api/hosts";
import { useFollowTerminals } from "@/api/terminals";

import { TerminalList } from "./terminal_list";
import { TerminalPage } from "./terminal_page";

/** `/terminals`, and one of them. */
export default function TerminalsPage() {
  const { terminalId } = useParams();
  useFollowHosts();
  useFollowTerminals();
  return terminalId === undefined ? <TerminalList /> : <TerminalPage key={terminalId} terminalId={terminalId} />;
}
