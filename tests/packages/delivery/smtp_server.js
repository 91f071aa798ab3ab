// A mail server on 127.0.0.1 for tests. Its one argument is JSON: {port?, user?, password?, secure?, starttls?, key?,
// cert?, mail?, rcpt?, data?}. mail, rcpt and data are replies that refuse these commands ("550 5.1.1 no such user"). rcpt
// may also be an object of replies by address; a list of replies refuses that address as many times and then accepts it.
// hold: {address, until} answers RCPT of `address` only after a message to `until`.
// `smtputf8: false` does not offer SMTPUTF8. Prints "listening PORT", and "message N {…}" for each message, whose `envelope`
// has the commands MAIL and RCPT as they came, without TLS alone.
"use strict";

let SMTPServer;
try {
  ({ SMTPServer } = require("smtp-server"));
} catch {
  console.error("the npm package smtp-server is missing: ./dev test installs it into tests/packages/delivery/node_modules");
  process.exit(2);
}

const wanted = JSON.parse(process.argv[2]);
let connections = 0;
let messages = 0;
let envelope = [];
let held = wanted.hold ? [] : null;  // answers to RCPT that wait

function refusal(words) {
  const error = new Error(words.slice(4));
  error.responseCode = Number(words.slice(0, 3));
  return error;
}

function answer(words) {
  return (address, session, callback) => callback(words ? refusal(words) : undefined);
}

const server = new SMTPServer({
  secure: wanted.secure ?? false,
  key: wanted.key,
  cert: wanted.cert,
  authOptional: !wanted.user,
  allowInsecureAuth: wanted.starttls === false,
  disabledCommands: [...(wanted.user ? [] : ["AUTH"]), ...(wanted.starttls === false ? ["STARTTLS"] : [])],
  disableReverseLookup: true,
  hideSMTPUTF8: wanted.smtputf8 === false,
  onConnect(session, callback) {
    ++connections;
    callback();
  },
  onAuth(auth, session, callback) {
    const right = auth.username === wanted.user && auth.password === wanted.password;
    callback(right ? null : new Error("wrong credentials"), { user: auth.username });
  },
  onMailFrom: answer(wanted.mail),
  onRcptTo(recipient, session, callback) {
    let words = typeof wanted.rcpt === "object" ? wanted.rcpt[recipient.address] : wanted.rcpt;
    if (Array.isArray(words)) words = words.shift();
    const reply = () => callback(words ? refusal(words) : undefined);
    if (held && recipient.address === wanted.hold.address) held.push(reply);
    else reply();
  },
  onData(stream, session, callback) {
    const pieces = [];
    stream.on("data", (piece) => pieces.push(piece));
    stream.on("end", () => {
      if (wanted.data) return callback(refusal(wanted.data));
      const seen = {
        from: session.envelope.mailFrom.address,
        to: session.envelope.rcptTo.map((rcpt) => rcpt.address),
        secure: session.secure,
        user: session.user ?? null,
        connections,
        raw: Buffer.concat(pieces).toString("utf8"),
        envelope,
      };
      envelope = [];
      console.log(`message ${++messages} ${JSON.stringify(seen)}`);
      callback(null, "queued");
      if (!held || !seen.to.includes(wanted.hold.until)) return;
      for (const reply of held) reply();
      held = null;
    });
  },
});
server.server.on("connection", (socket) =>
  socket.on("data", (data) => {
    for (const line of data.toString("utf8").split("\r\n")) if (/^(MAIL FROM|RCPT TO):/.test(line)) envelope.push(line);
  }),
);
server.on("error", () => {});  // errors of single connections are ignored
server.listen(wanted.port ?? 0, "127.0.0.1", () => console.log(`listening ${server.server.address().port}`));
