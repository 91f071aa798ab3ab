// Verifies a webhook with the reference library, as a receiver would. Reads {secret, headers, body} as JSON on stdin;
// exits 0 when the signature is valid, 1 when it is not, 2 when the check could not be made.
"use strict";

let Webhook;
try {
  ({ Webhook } = require("standardwebhooks"));
} catch {
  console.error("the npm package standardwebhooks is missing: ./dev test installs it into tests/node_modules");
  process.exit(2);
}

const { secret, headers, body } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
try {
  new Webhook(secret).verify(body, headers);
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
