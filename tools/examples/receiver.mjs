// A receiver of webhooks for tools/check/examples: receiver.mjs FOLDER
// Writes its URL to FOLDER/url and each request to FOLDER/NUMBER.json as {method, path, headers, body}. A path that ends
// in three digits is answered with that status, any other with 204.
import { createServer } from "node:http";
import { renameSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
let count = 0;

function publish(name, text) {
  writeFileSync(`${folder}/${name}.part`, text);
  renameSync(`${folder}/${name}.part`, `${folder}/${name}`);
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url: path, headers } = request;
    publish(`${++count}.json`, JSON.stringify({ method, path, headers, body: Buffer.concat(chunks).toString() }));
    response.writeHead(Number(path.match(/\/(\d{3})$/)?.[1] ?? 204)).end();
  });
});

server.listen(0, "127.0.0.1", () => publish("url", `http://127.0.0.1:${server.address().port}`));
