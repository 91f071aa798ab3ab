// A client with types generated from the OpenAPI document: creates an order, reads it, lists it, and gets an error.
//   node client.js URL TOKEN
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

declare const process: { argv: string[] };

const [url = "", token] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

const made = await api.POST("/api/v1/Orders", {
  body: {
    customer: { name: "Ada Lovelace", email: "ada@example.com" },
    items: [{ description: "Desk lamp", quantity: 2, price: 19.9 }],
    deliveryAddress: { street: "12 Harbour Road", city: "Dublin" },
  },
});
const guid = made.data?.data.guid;
if (!guid) throw new Error(`no order: ${JSON.stringify(made.error)}`);

const read = await api.GET("/api/v1/Orders/{orderId}", { params: { path: { orderId: guid } } });
if (read.data?.data.totalValue !== 39.8) throw new Error(`not worth 39.8: ${JSON.stringify(read.data)}`);

const listed = await api.GET("/api/v1/Orders", { params: { query: { $filter: "status eq 'pending'" } } });
if (listed.data?.totalCount !== 1) throw new Error(`not listed: ${JSON.stringify(listed.data)}`);

const refused = await api.PATCH("/api/v1/Orders/{orderId}/status", {
  params: { path: { orderId: guid } },
  body: { status: "delivered" },
});
if (refused.error?.error.code !== "VALIDATION_ERROR") throw new Error("a forbidden move was made");
console.log(guid);
