#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

/// Reads WooCommerce's JSON as our records. Pure.
namespace waybill::connectors::woo {

/// The members of an order that are read, for `_fields`, because plugins add many others.
inline constexpr std::string_view order_fields =
    "id,number,status,currency,total,shipping_total,date_created_gmt,date_modified_gmt,date_paid_gmt,"
    "customer_note,billing,shipping,line_items,shipping_lines";

/// Adds the row to the page, as a record or as unreadable; drafts are left out.
void read_order(const json::value& row, StorePage<StoreOrder>& page);

/// A status of WooCommerce in our terms. A plugin's status is `processing` for a paid order, else `pending`,
/// except for a few known names.
std::string order_status(std::string_view status, bool paid);
bool is_draft(std::string_view status);

/// The time of one of WooCommerce's `…_gmt` members: UTC without a suffix.
std::optional<Time> time_of(const json::value* value);

/// The member of an object; null if `value` is not an object or has no such member.
const json::value* member(const json::value* value, std::string_view name);

/// A trimmed text with decoded character references.
std::optional<std::string> decoded(const json::value* value, std::size_t limit = 1000);

/// A non-negative amount as decimal text.
std::optional<std::string> amount(const json::value* value);

}  // namespace waybill::connectors::woo
