#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/store_text.hpp"

/// Reads WooCommerce's JSON as our records. Pure.
namespace waybill::connectors::woo {

/// The members of an order that are read, for `_fields`, because plugins add many others.
inline constexpr std::string_view order_fields =
    "id,number,status,currency,total,shipping_total,date_created_gmt,date_modified_gmt,date_paid_gmt,"
    "customer_note,billing,shipping,line_items,shipping_lines,refunds";
/// The members that tell an order and its status.
inline constexpr std::string_view order_state_fields =
    "id,number,status,date_created_gmt,date_modified_gmt,date_paid_gmt";
inline constexpr std::string_view refund_fields = "id,line_items";

/// The quantity that was paid back of each line, by the line's id.
using RefundedLines = std::map<std::string, double>;

/// A line of an order, and the item that it is here.
struct ItemLine {
  const json::value* line;  // in the order
  StoreItem item;
};
/// The lines of which something is left after the refunds.
std::vector<ItemLine> item_lines(const json::value& row, const RefundedLines& refunded = {});

/// True if the lines of the order's refunds have to be read.
bool has_refunds(const json::value& row);

/// Adds the lines of one refund. A refund of an amount alone has none. Returns the reason why a line cannot
/// be read, as a sentence; empty if all can.
std::string add_refund(const json::value& refund, RefundedLines& lines);

/// Adds the row to the page, as a record or as unreadable; drafts are left out. The items are what is left
/// after the refunds; an order of which nothing is left, and nothing was sent, is cancelled.
void read_order(const json::value& row, StorePage<StoreOrder>& page, const RefundedLines& refunded = {});

/// Adds an order to the page of which only the id and the status are known.
void set_aside_order(const json::value& row, std::string reason, StorePage<StoreOrder>& page);

/// A status of WooCommerce in our terms, with or without the prefix `wc-`. A plugin's status is `processing`
/// for a paid order, else `pending`, except for a few known names.
std::string order_status(std::string_view status, bool paid);
bool is_draft(std::string_view status);

/// True if the member has a value that is meant as a time, readable or not: not null, blank or MySQL's zero
/// date.
bool has_time(const json::value* value);
/// The time of one of WooCommerce's `…_gmt` members: UTC without a suffix.
std::optional<Time> time_of(const json::value* value);

/// The member of an object; null if `value` is not an object or has no such member.
const json::value* member(const json::value* value, std::string_view name);

/// A non-negative amount as decimal text.
std::optional<std::string> amount(const json::value* value);
/// The same; the store's text if it cannot be read; nullopt only without a text.
std::optional<std::string> amount_text(const json::value* value);

}  // namespace waybill::connectors::woo
