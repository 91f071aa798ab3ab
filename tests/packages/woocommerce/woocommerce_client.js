// Calls a store with the official client of WooCommerce and prints the result as one line of JSON.
//   node woocommerce_client.js URL KEY SECRET
"use strict";

const { default: WooCommerceRestApi } = require("@woocommerce/woocommerce-rest-api");

const [url, consumerKey, consumerSecret] = process.argv.slice(2);
const store = new WooCommerceRestApi({ url, consumerKey, consumerSecret, version: "wc/v3" });

async function main() {
  const page = await store.get("orders", {
    per_page: 2,
    page: 2,
    orderby: "modified",
    order: "asc",
    status: ["processing", "completed"],
    search: "Müller + Söhne !'()*",
  });
  const made = await store.post("orders", { status: "processing", customer_note: "von Hand" });
  const changed = await store.put(`orders/${made.data.id}`, { status: "completed" });
  return {
    status: page.status,
    ids: page.data.map((order) => order.id),
    total: page.headers["x-wp-total"],
    pages: page.headers["x-wp-totalpages"],
    made: made.status,
    changed: changed.data.status,
  };
}

main().then(
  (result) => console.log(JSON.stringify(result)),
  (error) => console.log(JSON.stringify({ status: error.response?.status, error: error.response?.data ?? String(error) })),
);
