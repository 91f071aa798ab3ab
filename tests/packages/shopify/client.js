// Calls the simulator of a store with Shopify's own client: client.js ORIGIN TOKEN. Prints one JSON object.
"use strict";

let createAdminApiClient;
try {
  ({ createAdminApiClient } = require("@shopify/admin-api-client"));
} catch {
  console.error("the npm package @shopify/admin-api-client is missing: ./dev test installs it into tests/packages/shopify/node_modules");
  process.exit(2);
}

const [origin, accessToken] = process.argv.slice(2);
const storeDomain = "waybill-test.myshopify.com";

const client = createAdminApiClient({
  storeDomain,
  apiVersion: "2026-07",
  accessToken,
  isTesting: true,
  // The client requires https, which the simulator does not have.
  customFetchApi: (url, init) => fetch(url.replace(`https://${storeDomain}`, origin), init),
});

const page = `#graphql
  query Orders($first: Int = 2, $after: String, $query: String) {
    orders(first: $first, after: $after, query: $query, sortKey: UPDATED_AT) {
      edges { cursor node { ...Summary } }
      pageInfo { hasNextPage endCursor }
    }
  }
  fragment Summary on Order { id number: name items: lineItems(first: 1) { nodes { title } } }`;

async function allOrders() {
  const numbers = [];
  for (let after = null; ; ) {
    const { data, errors } = await client.request(page, { variables: { after, query: "updated_at:>='2026-07-01T00:00:00Z'" } });
    if (errors) throw new Error(JSON.stringify(errors));
    numbers.push(...data.orders.edges.map(({ node }) => `${node.number} ${node.items.nodes[0].title}`));
    if (!data.orders.pageInfo.hasNextPage) return numbers;
    after = data.orders.pageInfo.endCursor;
  }
}

async function graphQLErrors(operation, variables) {
  const { errors } = await client.request(operation, { variables });
  return errors.graphQLErrors ? errors.graphQLErrors.map(({ message }) => message) : errors.networkStatusCode;
}

async function main() {
  const { data, extensions } = await client.request("{ shop { name } }");
  const numbers = await allOrders();
  const fulfil = await client.request(
    `mutation Fulfil($fulfillment: FulfillmentInput!) {
      fulfillmentCreate(fulfillment: $fulfillment) { fulfillment { id } userErrors { field message } }
    }`,
    { variables: { fulfillment: { lineItemsByFulfillmentOrder: [{ fulfillmentOrderId: "gid://shopify/FulfillmentOrder/1" }] } } },
  );
  console.log(
    JSON.stringify({
      shop: data.shop.name,
      restoreRate: extensions.cost.throttleStatus.restoreRate,
      numbers,
      unknownField: await graphQLErrors("{ orders(first: 1, sortKey: UPDATED_AT) { nodes { colour } } }"),
      withoutFirst: await graphQLErrors("{ orders(sortKey: UPDATED_AT) { nodes { id } } }"),
      missingVariable: await graphQLErrors("query Order($id: ID!) { order(id: $id) { id } }", {}),
      userErrors: fulfil.data.fulfillmentCreate.userErrors.map(({ message }) => message),
    }),
  );
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
