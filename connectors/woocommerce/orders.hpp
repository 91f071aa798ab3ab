#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

/// What WooCommerce's JSON says, as our records. Pure.
namespace waybill::connectors::woo {

/// The members of an order that are read, for `_fields`: plugins put much else into it.
inline constexpr std::string_view order_fields =
    "id,number,status,currency,total,date_created_gmt,date_modified_gmt,date_paid_gmt,customer_note,billing,"
    "shipping,line_items";

/// Appends what the row is to the page: a record, or an unreadable one; nothing for a draft.
void read_order(const json::value& row, StorePage<StoreOrder>& page);

/// Our status for a status of WooCommerce's; one that a plugin made is `processing` for a paid order, else
/// `pending`, but for a few names that say more.
std::string order_status(std::string_view status, bool paid);
bool is_draft(std::string_view status);

/// A time of WooCommerce's `…_gmt` members: UTC without a suffix.
std::optional<Time> time_of(const json::value* value);

/// The member of an object; null when `value` is no object or has no such member.
const json::value* member(const json::value* value, std::string_view name);

/// A text, trimmed, with character references decoded.
std::optional<std::string> decoded(const json::value* value, std::size_t limit = 1000);

/// An amount that is not negative, as decimal text.
std::optional<std::string> amount(const json::value* value);

}  // namespace waybill::connectors::woo
