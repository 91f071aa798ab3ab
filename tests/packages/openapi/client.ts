// A client with types generated from the OpenAPI document: creates an order, reads it, lists it, gets an error, and
// configures and tests a workflow. An answer without an error has everything that the document requires, so that no
// property needs a `?.`.
//   node client.js URL TOKEN
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

const [url = "", token] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

function fail(message: string, answer: unknown): never {
  throw new Error(`${message}: ${JSON.stringify(answer)}`);
}

const created = await api.POST("/api/v1/Orders", {
  body: {
    customer: { name: "Ada Lovelace", email: "ada@example.com" },
    items: [{ description: "Desk lamp", quantity: 2, price: 19.9 }],
    deliveryAddress: { street: "12 Harbour Road", city: "Dublin" },
  },
});
if (created.error) fail("no order", created.error);
const orderId = created.data.data.guid;

const read = await api.GET("/api/v1/Orders/{orderId}", { params: { path: { orderId } } });
if (read.error) fail("not read", read.error);
const order: components["schemas"]["Order"] = read.data.data;
if (order.totalValue !== 39.8) fail("not worth 39.8", order);
const status: "draft" | "pending" | "processing" | "ready" | "shipped" | "delivered" | "cancelled" = order.status;
if (status !== "pending") fail("not pending", order);

const listed = await api.GET("/api/v1/Orders", { params: { query: { $filter: "status eq 'pending'" } } });
if (listed.error) fail("not listed", listed.error);
if (listed.data.totalCount !== 1) fail("not one order", listed.data);
for (const entry of listed.data.data) {
  if (entry.items.map((item) => item.description.length + item.quantity + item.price).length !== 1) fail("no item", entry);
}

const refused = await api.PATCH("/api/v1/Orders/{orderId}/status", {
  params: { path: { orderId } },
  body: { status: "delivered" },
});
if (!refused.error) fail("a forbidden move was made", refused.data);
if (refused.error.error.code !== "VALIDATION_ERROR") fail("another error", refused.error);

const triggers = await api.GET("/api/workflows/triggers/{entityType}", { params: { path: { entityType: "Order" } } });
if (triggers.error) fail("no triggers", triggers.error);
const trigger = triggers.data.data.find((each) => each.code === "order_status_changed");
if (!trigger) fail("no trigger order_status_changed", triggers.data);

const configured = await api.POST("/api/workflows/configure", {
  body: {
    name: "Move orders",
    entityType: "Order",
    triggerId: trigger.guid,
    conditions: { totalValue: { gte: 10 }, any: [{ status: "ready" }, { not: { currency: "USD" } }] },
    action: { type: "update_status", status: "processing" },
  },
});
if (configured.error) fail("no workflow", configured.error);
const { action } = configured.data.data;
if (action?.type !== "update_status" || action.status !== "processing") fail("another action", action);

const tested = await api.POST("/api/workflows/test", { body: { workflowId: configured.data.data.guid, entityId: orderId } });
if (tested.error) fail("not tested", tested.error);
const { wouldSend, conditions } = tested.data.data;
if (wouldSend === null || !("entityIds" in wouldSend) || wouldSend.entityIds[0] !== orderId) fail("would not move the order", wouldSend);
if (conditions.some((condition) => condition.path === "")) fail("a condition without a path", conditions);
console.log(orderId);
