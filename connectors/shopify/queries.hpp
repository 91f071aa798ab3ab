#pragma once

#include <string_view>

namespace waybill::connectors {

/// An operation of Shopify's Admin GraphQL API. Uses only fields and arguments that all versions since
/// 2025-04 have (shopify.dev/docs/api/admin-graphql).
struct ShopifyOperation {
  std::string_view name;
  std::string_view text;
};

/// A list that is read by time of change, and the inner list of each of its records.
struct ShopifyList {
  ShopifyOperation page;         // $first, $after, $query, $reverse (false if absent)
  ShopifyOperation more;         // $id, $first, $after: further entries of the inner list
  ShopifyOperation state;        // as `page`, with what names a record that the store cannot show whole
  std::string_view root;         // root of `page`
  std::string_view record_root;  // root of `more`
  std::string_view inner;        // the inner list's field
};

namespace shopify {

inline constexpr ShopifyOperation check{"WaybillCheck", R"(query WaybillCheck {
  shop { name }
  currentAppInstallation { accessScopes { handle } }
})"};

#define WAYBILL_SHOPIFY_LINE_ITEM                                                      \
  "id title variantTitle sku quantity currentQuantity customAttributes { key value } " \
  "originalUnitPriceSet { shopMoney { amount } }"

#define WAYBILL_SHOPIFY_ORDER                                                                      \
  "id name test note createdAt updatedAt cancelledAt displayFinancialStatus "                      \
  "displayFulfillmentStatus email phone "                                                          \
  "currentTotalPriceSet { shopMoney { amount currencyCode } } "                                    \
  "shippingLine { title discountedPriceSet { shopMoney { amount } } } "                            \
  "customer { firstName lastName defaultEmailAddress { emailAddress } "                            \
  "defaultPhoneNumber { phoneNumber } } "                                                          \
  "shippingAddress { name company address1 address2 city province provinceCode zip countryCodeV2 " \
  "phone } "                                                                                       \
  "billingAddress { name company phone } "                                                         \
  "fulfillments(first: 10) { status displayStatus } "                                              \
  "lineItems(first: 20) { nodes { " WAYBILL_SHOPIFY_LINE_ITEM " } pageInfo { hasNextPage endCursor } }"

inline constexpr ShopifyList orders{
    {"WaybillOrders",
     "query WaybillOrders($first: Int!, $after: String, $query: String, $reverse: Boolean = false) { "
     "orders(first: $first, after: $after, query: $query, sortKey: UPDATED_AT, reverse: $reverse) { "
     "nodes { " WAYBILL_SHOPIFY_ORDER " } pageInfo { hasNextPage endCursor } } }"},
    {"WaybillOrderItems",
     "query WaybillOrderItems($id: ID!, $first: Int!, $after: String) { order(id: $id) { "
     "lineItems(first: $first, after: $after) { "
     "nodes { " WAYBILL_SHOPIFY_LINE_ITEM " } pageInfo { hasNextPage endCursor } } } }"},
    {"WaybillOrderStates",
     "query WaybillOrderStates($first: Int!, $after: String, $query: String, $reverse: Boolean = false) { "
     "orders(first: $first, after: $after, query: $query, sortKey: UPDATED_AT, reverse: $reverse) { "
     "nodes { id name test createdAt updatedAt cancelledAt displayFinancialStatus displayFulfillmentStatus } "
     "pageInfo { hasNextPage endCursor } } }"},
    "orders",
    "order",
    "lineItems"};

inline constexpr ShopifyOperation order{"WaybillOrder",
                                        "query WaybillOrder($id: ID!) { order(id: $id) { "  //
                                        WAYBILL_SHOPIFY_ORDER " } }"};

#define WAYBILL_SHOPIFY_VARIANT \
  "id title sku barcode price " \
  "inventoryItem { harmonizedSystemCode countryCodeOfOrigin measurement { weight { unit value } } }"

#define WAYBILL_SHOPIFY_PRODUCT                                                       \
  "id title description updatedAt hasOnlyDefaultVariant variants(first: 20) { nodes " \
  "{ " WAYBILL_SHOPIFY_VARIANT " } pageInfo { hasNextPage endCursor } }"

inline constexpr ShopifyList products{
    {"WaybillProducts",
     "query WaybillProducts($first: Int!, $after: String, $query: String, $reverse: Boolean = false) { "
     "products(first: $first, after: $after, query: $query, sortKey: UPDATED_AT, reverse: $reverse) { "
     "nodes { " WAYBILL_SHOPIFY_PRODUCT " } pageInfo { hasNextPage endCursor } } }"},
    {"WaybillProductVariants",
     "query WaybillProductVariants($id: ID!, $first: Int!, $after: String) { product(id: $id) { "
     "variants(first: $first, after: $after) { "
     "nodes { " WAYBILL_SHOPIFY_VARIANT " } pageInfo { hasNextPage endCursor } } } }"},
    {"WaybillProductStates",
     "query WaybillProductStates($first: Int!, $after: String, $query: String, $reverse: Boolean = false) { "
     "products(first: $first, after: $after, query: $query, sortKey: UPDATED_AT, reverse: $reverse) { "
     "nodes { id title updatedAt } pageInfo { hasNextPage endCursor } } }"},
    "products",
    "product",
    "variants"};

inline constexpr ShopifyOperation product{"WaybillProduct",
                                          "query WaybillProduct($id: ID!) { product(id: $id) { "  //
                                          WAYBILL_SHOPIFY_PRODUCT " } }"};

#undef WAYBILL_SHOPIFY_LINE_ITEM
#undef WAYBILL_SHOPIFY_ORDER
#undef WAYBILL_SHOPIFY_VARIANT
#undef WAYBILL_SHOPIFY_PRODUCT

// Identifies locations by their names in fulfillment orders, because reading a Location needs another scope.
inline constexpr ShopifyOperation deliveries{"WaybillDeliveries", R"(
query WaybillDeliveries($id: ID!, $first: Int!, $after: String) {
  order(id: $id) {
    cancelledAt
    fulfillments(first: 30) { id status trackingInfo(first: 10) { company number url } }
    fulfillmentOrders(first: $first, after: $after) {
      nodes { id status assignedLocation { name } fulfillments(first: 5) { nodes { id } } }
      pageInfo { hasNextPage endCursor }
    }
  }
})"};

// Read only for a parcel with some of the order's items.
inline constexpr ShopifyOperation open_lines{"WaybillOpenLines", R"(
query WaybillOpenLines($id: ID!, $first: Int!, $after: String) {
  fulfillmentOrder(id: $id) {
    lineItems(first: $first, after: $after) {
      nodes { id remainingQuantity lineItem { id } }
      pageInfo { hasNextPage endCursor }
    }
  }
})"};

inline constexpr ShopifyOperation fulfil{"WaybillFulfil", R"(
mutation WaybillFulfil($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) {
    fulfillment { id }
    userErrors { field message }
  }
})"};

inline constexpr ShopifyOperation update_tracking{"WaybillTracking", R"(
mutation WaybillTracking($id: ID!, $tracking: FulfillmentTrackingInput!) {
  fulfillmentTrackingInfoUpdate(fulfillmentId: $id, trackingInfoInput: $tracking, notifyCustomer: true) {
    fulfillment { id }
    userErrors { field message }
  }
})"};

}  // namespace shopify
}  // namespace waybill::connectors
