#include <cstdio>

#include "tests/simulators/woocommerce/woocommerce_state.hpp"

namespace waybill::tests {
namespace {

using std::chrono::days;
using std::chrono::hours;

Time last_sunday(std::chrono::year year, std::chrono::month month) {
  const std::chrono::sys_days day =
      std::chrono::year_month_weekday_last(year, month, std::chrono::weekday_last(std::chrono::Sunday));
  return day;
}

json::object address(bool billing) {
  json::object result = {
      {"first_name", "Jana"},    {"last_name", "Lindström"}, {"company", ""}, {"address_1", "Storgatan 5"},
      {"address_2", "Lgh 1102"}, {"city", "Göteborg"},       {"state", ""},   {"postcode", "411 24"},
      {"country", "SE"}};
  if (billing) result["email"] = "jana@example.com";
  result["phone"] = "+46 31 123 45 67";
  return result;
}

json::object line_item(std::int64_t id) {
  return {{"id", id},
          {"name", "Tröja &ndash; Blå"},
          {"product_id", 93},
          {"variation_id", 94},
          {"quantity", 2},
          {"tax_class", ""},
          {"subtotal", "40.00"},
          {"subtotal_tax", "7.60"},
          {"total", "40.00"},
          {"total_tax", "7.60"},
          {"taxes", {{{"id", 75}, {"total", "7.6"}, {"subtotal", "7.6"}}}},
          {"meta_data",
           {{{"id", 2095},
             {"key", "pa_color"},
             {"value", "blue"},
             {"display_key", "Color"},
             {"display_value", "Blue"}}}},
          {"sku", "TEE-BLUE"},
          {"price", 20},
          {"image", {{"id", 32}, {"src", "https://shop.example/tee.jpg"}}},
          {"parent_name", "Tröja"}};
}

}  // namespace

Duration berlin_offset(Time at) {
  const std::chrono::year_month_day date(std::chrono::floor<days>(at));
  const bool summer = at >= last_sunday(date.year(), std::chrono::March) + hours(1) &&
                      at < last_sunday(date.year(), std::chrono::October) + hours(1);
  return summer ? hours(2) : hours(1);
}

std::string woo_time(Time at) { return format_timestamp(at).substr(0, 19); }

void merge(json::object& record, const json::object& fields) {
  for (const auto& [name, value] : fields) {
    auto* const own = record.if_contains(name);
    if (own != nullptr && own->is_object() && value.is_object()) {
      merge(own->as_object(), value.as_object());
    } else {
      record.insert_or_assign(name, value);
    }
  }
}

json::object plausible_order(std::int64_t id) {
  return {
      {"id", id},
      {"parent_id", 0},
      {"number", std::to_string(id)},
      {"order_key", "wc_order_" + std::to_string(id)},
      {"created_via", "checkout"},
      {"version", "10.3.4"},
      {"status", "processing"},
      {"currency", "EUR"},
      {"discount_total", "0.00"},
      {"discount_tax", "0.00"},
      {"shipping_total", "4.90"},
      {"shipping_tax", "0.93"},
      {"cart_tax", "7.60"},
      {"total", "53.43"},
      {"total_tax", "8.53"},
      {"prices_include_tax", false},
      {"customer_id", 0},
      {"customer_note", ""},
      {"billing", address(true)},
      {"shipping", address(false)},
      {"payment_method", "bacs"},
      {"payment_method_title", "Direct Bank Transfer"},
      {"transaction_id", ""},
      {"cart_hash", ""},
      {"meta_data", json::array()},
      {"line_items", {line_item(id * 10)}},
      {"tax_lines", json::array()},
      {"shipping_lines",
       {{{"id", id * 10 + 1}, {"method_title", "Flat Rate"}, {"method_id", "flat_rate"}, {"total", "4.90"}}}},
      {"fee_lines", json::array()},
      {"coupon_lines", json::array()},
      {"refunds", json::array()},
      {"payment_url", ""},
      {"is_editable", false},
      {"needs_payment", false},
      {"needs_processing", true},
      {"date_paid", nullptr},
      {"date_paid_gmt", nullptr},
      {"date_completed", nullptr},
      {"date_completed_gmt", nullptr},
      {"currency_symbol", "€"}};
}

json::object plausible_product(std::int64_t id) {
  return {{"id", id},
          {"name", "Tröja"},
          {"slug", "troja-" + std::to_string(id)},
          {"type", "simple"},
          {"status", "publish"},
          {"description", "<p>Mjuk &amp; varm.</p>"},
          {"short_description", ""},
          {"sku", "TEE-" + std::to_string(id)},
          {"global_unique_id", ""},
          {"price", "20"},
          {"regular_price", "20"},
          {"sale_price", ""},
          {"stock_quantity", nullptr},
          {"manage_stock", false},
          {"virtual", false},
          {"downloadable", false},
          {"weight", "0.25"},
          {"dimensions", {{"length", "30"}, {"width", "20"}, {"height", "2"}}},
          {"variations", json::array()},
          {"attributes", json::array()},
          {"meta_data", json::array()}};
}

json::object plausible_variation(std::int64_t id, const json::object& product) {
  return {{"id", id},
          {"type", "variation"},
          {"status", "publish"},
          {"name", "Blue"},
          {"sku", std::string(product.at("sku").as_string()) + "-" + std::to_string(id)},
          {"price", "22"},
          {"regular_price", "22"},
          {"sale_price", ""},
          {"weight", ""},
          {"dimensions", {{"length", ""}, {"width", ""}, {"height", ""}}},
          {"attributes", {{{"id", 6}, {"name", "Color"}, {"option", "Blue"}}}}};
}

}  // namespace waybill::tests
