// Prints the sample's verdict on each case: cases.mjs CASES, where sample.mjs is in the working folder.
import { readFileSync } from "node:fs";

const { verify } = await import(`file://${process.cwd()}/sample.mjs`);
for (const line of readFileSync(process.argv[2], "utf8").trimEnd().split("\n")) {
  const [, secret, id, timestamp, signature, body] = line.split("\t");
  console.log(verify(secret, id, timestamp, signature, readFileSync(body)));
}
