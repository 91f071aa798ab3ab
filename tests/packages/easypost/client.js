// Calls the simulator of EasyPost with EasyPost's own client. Prints one JSON object.
//   client.js ship URL KEY: buys a shipment, gives it back, and tracks it. URL ends with a slash.
//   client.js validate: reads {secret, headers, body} of a webhook's call as JSON on stdin; exits with 1 if the signature
//   is not valid.
// Exits with 2 if the client is not installed.
"use strict";

let EasyPostClient;
try {
  EasyPostClient = require("@easypost/api");
} catch {
  console.error("the npm package @easypost/api is missing: npm ci installs it into tests/packages/easypost/node_modules");
  process.exit(2);
}

const [command, baseUrl, key] = process.argv.slice(2);
const client = new EasyPostClient(key ?? "EZTKnone", { baseUrl });

const address = (name, city, zip) => ({ name, street1: "417 Montgomery Street", city, state: "CA", zip, country: "US" });

// The error of a call that must fail.
async function errorOf(promise) {
  try {
    await promise;
  } catch ({ statusCode, code, message }) {
    return { statusCode, code, message };
  }
  throw new Error("the call succeeds");
}

async function download(url) {
  const response = await fetch(url);
  return Buffer.from(await response.arrayBuffer()).toString("base64");
}

async function ship() {
  const reference = "order 7/ä?";
  const draft = await client.Shipment.create({
    reference,
    from_address: address("Sender", "San Francisco", "94104"),
    to_address: address("Recipient", "Los Angeles", "90001"),
    parcel: { length: 8, width: 6, height: 4, weight: 15 },
  });
  const bought = await client.Shipment.buy(draft.id, draft.lowestRate());
  const boughtAgain = await errorOf(client.Shipment.buy(draft.id, draft.lowestRate()));
  const found = await client.Shipment.retrieve(encodeURIComponent(reference));
  const listed = await client.Shipment.all({ purchased: true, page_size: 5 });
  const pdf = await client.Shipment.convertLabelFormat(draft.id, "PDF");
  const zpl = await client.Shipment.convertLabelFormat(draft.id, "ZPL");
  const refunded = await client.Shipment.refund(draft.id);
  const tracker = await client.Tracker.create({ tracking_code: bought.tracking_code, carrier: "USPS" });
  const trackers = await client.Tracker.all({ tracking_code: bought.tracking_code });
  return {
    mode: draft.mode,
    rates: draft.rates.map(({ service, rate, currency }) => `${service} ${rate} ${currency}`),
    weight: draft.parcel.weight,
    price: bought.selected_rate.rate,
    trackingCode: bought.tracking_code,
    boughtAgain,
    found: found.id === draft.id && found.tracking_code === bought.tracking_code,
    listed: listed.shipments.map(({ id }) => id === draft.id),
    hasMore: listed.has_more,
    png: await download(bought.postage_label.label_url),
    pdf: await download(pdf.postage_label.label_pdf_url),
    zpl: await download(zpl.postage_label.label_zpl_url),
    refundStatus: refunded.refund_status,
    sameTracker: tracker.id === bought.tracker.id && trackers.trackers[0].id === tracker.id,
    trackerShipment: tracker.shipment_id === draft.id,
    accounts: key.startsWith("EZAK")
      ? (await client.CarrierAccount.all()).map(({ id }) => id)
      : await errorOf(client.CarrierAccount.all()),
  };
}

function validate() {
  const { secret, headers, body } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const event = client.Utils.validateWebhook(body, headers, secret);
  return { description: event.description, trackingCode: event.result.tracking_code, status: event.result.status };
}

Promise.resolve()
  .then(command === "ship" ? ship : validate)
  .then(
    (result) => console.log(JSON.stringify(result)),
    (error) => {
      console.error(`${error.statusCode ?? ""} ${error.code ?? ""} ${error.message}`);
      process.exitCode = 1;
    },
  );
