// The peer of the CLI benchmark: the least a command line client in Node can do for `svc todo list`.
import http from "node:http";

const [name, ...argv] = process.argv.slice(2);
const body = JSON.stringify({ argv, cwd: process.cwd() });
const request = http.request(
  `${process.env.SVC_SERVER_URL}/api/v1/plugins/${name}/cli`,
  { method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } },
  (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk) => (text += chunk));
    response.on("end", () => {
      const answer = JSON.parse(text);
      if (!answer.ok) {
        process.stderr.write(`svc: ${answer.error.message}\n`);
        process.exitCode = 1;
        return;
      }
      const write = (stream, output) => output && stream.write(output.endsWith("\n") ? output : `${output}\n`);
      write(process.stdout, answer.stdout);
      write(process.stderr, answer.stderr);
      process.exitCode = answer.exitCode;
    });
  },
);
request.end(body);
