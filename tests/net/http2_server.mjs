// An HTTP/2 server for tests: `node http2_server.mjs KEY CERTIFICATE MOST_STREAMS`. Prints its port. The path of a
// request says how it is answered; each answer has the number of its connection.
import { createSecureServer, constants } from "node:http2";
import { readFileSync } from "node:fs";

const [key, cert] = process.argv.slice(2, 4).map((file) => readFileSync(file));
const server = createSecureServer({ key, cert, maxSendHeaderBlockLength: 1_000_000, settings: { maxConcurrentStreams: Number(process.argv[4]) } });
const answered = new Set(); // paths that are answered otherwise the second time
let connections = 0;
let held = []; // streams of /hold
let leaving; // the session of /leave_once

server.on("session", (session) => {
  session.number = ++connections;
  session.on("error", () => {});
});

function answer(stream, body = "", headers = {}) {
  stream.respond({ ":status": 200, "x-connection": String(stream.session.number), ...headers });
  stream.end(body);
}

function once(path) {
  if (answered.has(path)) return false;
  answered.add(path);
  return true;
}

const handlers = {
  echo: (stream, [], headers, body) =>
    answer(stream, JSON.stringify({ headers, size: body.length, first: body.subarray(0, 20).toString() })),
  silent: () => {},
  hold: (stream, [count]) => {
    held.push(stream);
    if (held.length < Number(count)) return;
    for (const each of held) answer(each, "held");
    held = [];
  },
  refuse: (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
  refuse_once: (stream, [], headers) =>
    once(headers[":path"]) ? stream.close(constants.NGHTTP2_REFUSED_STREAM) : answer(stream, "at last"),
  reset: (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  // The stream is above the last one that the connection processes. The connection ends once the request has
  // come on another one.
  leave_once: (stream, [], headers) => {
    if (once(headers[":path"])) {
      leaving = stream.session;
      leaving.goaway(constants.NGHTTP2_NO_ERROR, stream.id - 2);
    } else {
      leaving.destroy();
      answer(stream, "elsewhere");
    }
  },
  break: (stream) => stream.session.destroy(),
  break_once: (stream, [], headers) =>
    once(headers[":path"]) ? stream.session.destroy() : answer(stream, "again"),
  close_after: (stream) => {
    answer(stream, "last");
    stream.session.close();
  },
  hints: (stream) => {
    stream.additionalHeaders({ ":status": 103, link: "</early>" });
    stream.respond({ ":status": 201, "x-connection": "1" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-late": "trailer" }));
    stream.end("body");
  },
  interim: (stream, [count]) => {
    for (let i = 0; i < Number(count); ++i) stream.additionalHeaders({ ":status": 103 });
    answer(stream);
  },
  headers: (stream, [bytes]) => {
    const headers = {};
    for (let i = 0; i < Number(bytes) / 1000; ++i) headers[`x-${i}`] = "x".repeat(990);
    answer(stream, "", headers);
  },
  body: (stream, [bytes]) => answer(stream, Buffer.alloc(Number(bytes), "b")),
  mismatch: (stream) => {
    stream.respond({ ":status": 200, "content-length": "10" });
    stream.end("abc");
  },
  half: (stream) => {
    stream.respond({ ":status": 200 });
    stream.write("half", () => stream.session.destroy());
  },
};

server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  const [, name, ...rest] = headers[":path"].split("/");
  if (name === "early") {
    stream.respond({ ":status": 413, "x-connection": String(stream.session.number) });
    stream.end("too much");
    return;
  }
  const parts = [];
  stream.on("data", (part) => parts.push(part));
  stream.on("end", () => handlers[name](stream, rest, headers, Buffer.concat(parts)));
});
server.on("sessionError", () => {});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
