import type { SvcPluginApi } from "@get-svc/plugin-sdk";

export default function echoSocket(svc: SvcPluginApi): void {
  let open = 0;

  svc.http.experimental_websocket("/echo", ({ url }) => {
    const prefix = url.searchParams.get("prefix") ?? "";
    return {
      onOpen(socket) {
        open += 1;
        socket.send(`hello, ${open} connected`);
      },
      onMessage(socket, data) {
        if (data === "bye") {
          socket.close(4000, "you said bye");
          return;
        }
        socket.send(typeof data === "string" ? prefix + data : data);
      },
      onClose() {
        open -= 1;
      },
    };
  });

  // A path may have a plain route beside the WebSocket.
  svc.http.route("GET", "/echo", (c) => c.json({ connected: open }));
}
