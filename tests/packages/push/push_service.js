// A push service with its browsers: PushApiModel of the npm package web-push-testing checks each request's VAPID token and
// decrypts its body like a browser. Listens on 127.0.0.1 and prints its port. Tests control it with these requests:
//   POST /subscribe {applicationServerKey}        → {endpoint, keys: {p256dh, auth}, clientHash}
//   POST /answer {clientHash, status, headers}    the next push gets this response and is not delivered
//   POST /expire {clientHash}                     every push gets 410
//   GET  /pushes/CLIENTHASH                       → [{status, headers, message}], message null if not delivered
"use strict";

let PushApiModel;
try {
  ({ PushApiModel } = require("web-push-testing/src/PushApiModel.js"));
} catch {
  console.error("the npm package web-push-testing is missing: ./dev test installs it into tests/packages/push/node_modules");
  process.exit(2);
}

const model = new PushApiModel();
const answers = new Map(); // clientHash → responses for the next pushes
const pushes = new Map(); // clientHash → received pushes

const listOf = (map, key) => map.get(key) ?? map.set(key, []).get(key);

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function notify(clientHash, request, body) {
  const { headers } = request;
  const scripted = listOf(answers, clientHash).shift();
  let answer = scripted ?? { status: 201 };
  let message = null;
  if (!scripted) {
    try {
      await model.handleNotification(
        clientHash,
        { encoding: headers["content-encoding"], authorization: headers.authorization, ttl: headers.ttl },
        body,
      );
      message = model.messages[clientHash].at(-1);
    } catch (error) {
      answer = { status: error.name === "SubscriptionExpiredError" ? 410 : 400, text: String(error) };
    }
  }
  listOf(pushes, clientHash).push({ status: answer.status, headers, message });
  return answer;
}

async function respond(request) {
  const [, verb, clientHash] = request.url.split("/");
  const body = await bodyOf(request);
  if (verb === "notify") return notify(clientHash, request, body);
  if (verb === "pushes") return { status: 200, json: listOf(pushes, clientHash) };
  const given = JSON.parse(body);
  if (verb === "subscribe") return { status: 200, json: await model.subscribe(given) };
  if (verb === "answer") listOf(answers, given.clientHash).push(given);
  if (verb === "expire") model.expireSubscription(given.clientHash);
  return { status: 200, json: {} };
}

const server = require("node:http").createServer(async (request, response) => {
  try {
    const { status, headers, json, text } = await respond(request);
    response.writeHead(status, { ...headers, "content-type": json ? "application/json" : "text/plain" });
    response.end(json ? JSON.stringify(json) : text);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  model.notifyUrl = `http://127.0.0.1:${port}/notify/`;
  console.log(`listening on port ${port}`);
});
