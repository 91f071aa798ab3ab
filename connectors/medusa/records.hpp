#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/store_items.hpp"

namespace waybill::connectors {

/// The fields that are read of an order. The store computes `fulfillment_status` from the requested fields of
/// the items: without all of them it reports a partly shipped order as `shipped`.
inline constexpr std::string_view medusa_order_fields =
    "id,display_id,custom_display_id,status,payment_status,fulfillment_status,currency_code,total,email,"
    "created_at,updated_at,canceled_at,*items,*shipping_address,*billing_address,*customer,"
    "shipping_total,*shipping_methods";

inline constexpr std::string_view medusa_product_fields =
    "id,title,description,weight,length,width,height,hs_code,origin_country,updated_at,variants.id,"
    "variants.title,variants.sku,variants.hs_code,variants.origin_country,variants.barcode,variants.weight,"
    "variants.length,variants.width,variants.height,variants.variant_rank,variants.prices.amount,variants."
    "prices.raw_"
    "amount,"
    "variants.prices.currency_code,variants.prices.min_quantity,variants.prices.price_list_id,"
    "variants.prices.rules_count";

/// The fields that name an order or a product that the store cannot show whole: those of the record itself,
/// because the store computes others from related records, which may be what it cannot show.
inline constexpr std::string_view medusa_order_state_fields =
    "id,display_id,custom_display_id,status,created_at,updated_at,canceled_at";
inline constexpr std::string_view medusa_product_state_fields = "id,title,updated_at";

/// The order's status in our terms, by the table in docs/connectors/medusa.md. Empty for a draft. Pure.
std::string_view medusa_status(const json::value& order);

/// Adds the order to the page, as a record or as unreadable; drafts are left out. An unchanged order gives an
/// equal record, whatever the order of its items in the answer. Pure.
void add_medusa_order(const json::value& order, StorePage<StoreOrder>& page);

/// Adds a product in the same way, with the prices of one currency ("eur", as the store writes it). Weights
/// are read as grams, lengths as centimetres. Pure.
void add_medusa_product(const json::value& product, std::string_view currency, StorePage<StoreProduct>& page);

/// Adds a record to the page of which only the state fields are known, with the reason; drafts are left out.
/// Only a cancellation is known of the status of an order.
void set_aside_medusa_order(const json::value& order, std::string reason, StorePage<StoreOrder>& page);
void set_aside_medusa_product(const json::value& product, std::string reason, StorePage<StoreProduct>& page);

/// The lines with something left, in the order of their ids. Throws StoreError refused for a quantity that
/// cannot be read.
std::vector<StoreLine> medusa_lines(const json::value& order);

/// The store's `updated_at`; nullopt if it cannot be read.
std::optional<Time> medusa_changed_at(const json::value& record);

/// A text of a record by its dotted path; empty if absent.
std::string medusa_text(const json::value& record, std::string_view path);

}  // namespace waybill::connectors
