// Verifies a webhook with the reference library, like a receiver. Reads {secret, headers, body} as JSON on stdin;
// exits with 0 if the signature is valid, 1 if it is not, 2 if the check failed.
"use strict";

let Webhook;
try {
  ({ Webhook } = require("standardwebhooks"));
} catch {
  console.error("the npm package standardwebhooks is missing: ./dev test installs it into tests/packages/delivery/node_modules");
  process.exit(2);
}

const { secret, headers, body } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
try {
  new Webhook(secret).verify(body, headers);
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
