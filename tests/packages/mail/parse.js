// Parses a message on stdin like a mail program, and prints it as JSON: {messageId, from, to, subject, text, html,
// headers: [{key, value}]}.
"use strict";

let PostalMime;
try {
  const loaded = require("postal-mime");
  PostalMime = loaded.default ?? loaded;
} catch {
  console.error("the npm package postal-mime is missing: ./dev test installs it into tests/packages/mail/node_modules");
  process.exit(2);
}

PostalMime.parse(require("node:fs").readFileSync(0)).then(
  ({ messageId, from, to, subject, text, html, headers }) =>
    console.log(JSON.stringify({ messageId, from, to, subject, text, html, headers })),
  (error) => {
    console.error(String(error));
    process.exit(1);
  },
);
